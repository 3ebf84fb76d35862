/**
 * Branch network interfaces for pods with security groups of their own (`vpc.amazonaws.com/pod-eni`). AWS publishes a number for
 * each type; all of them follow from a budget that trunk and branch interfaces share:
 * pod-eni = budget − the type's network interfaces + 2.
 */

/** Families of which AWS's table of network limits has no entry. */
const withoutLimits = new Set(words('hpc6a hpc6id hpc7a hpc8a trn2'))

const withoutTrunking = new Set(words('t3 t3a t4g hpc7g c9g c9gd'))

/** Published limits that no trunk interface can use: Karpenter's own reference lists these types without pod-eni, too. */
const metalWithoutTrunking = new Set(
  words('c8gb c8gn c8ib m8gb m8gn m8ib m8idb m8idn m8in r8gb r8gn r8ib r8idb r8idn r8in'),
)

const budgetBySize: Readonly<Record<string, number>> = {
  medium: 4,
  large: 10,
  xlarge: 20,
  '2xlarge': 40,
  '3xlarge': 40,
  '4xlarge': 60,
  '6xlarge': 60,
  '8xlarge': 60,
  '9xlarge': 60,
}
const largestBudget = 120

const flexBudgetBySize: Readonly<Record<string, number>> = {
  medium: 1,
  large: 4,
  xlarge: 10,
  '2xlarge': 20,
  '4xlarge': 40,
}

const with90At8xlarge = new Set(
  words(`
  c6a c6i c6id c6in c7a c7i c8a c8i c8ib c8id c8in c8ine
  m6a m6i m6id m6idn m6in m7a m7i m8a m8i m8ib m8id m8idb m8idn m8in m8ine
  r6a r6i r6id r6idn r6in r7a r7i r7iz r8a r8i r8ib r8id r8idb r8idn r8in
  x8i g5 g6 g6e g7 gr6 i7i inf2`),
)

const with60At12xlarge = new Set(
  words(`
  c5 c5a c5ad c5d m5 m5a m5ad m5d m5dn m5n r5 r5a r5ad r5b r5d r5dn r5n
  c8g-flex m8g-flex x2gd x8g g4dn i3en i7ie i8g i8ge`),
)
const gravitonFamily = /^[cmr][6-9]g[a-z]*$/

const exceptions = new Map(
  words(`
  u-6tb1.56xlarge=none u-6tb1.112xlarge=none i4i.large=none
  a1.medium=10 x2gd.medium=10 i7ie.large=20 i8ge.large=20 m5zn.large=14 z1d.large=14 i3en.large=6 g4dn.xlarge=40 inf1.xlarge=40
  i7ie.xlarge=29 i8ge.xlarge=29 d3.xlarge=44 d3en.xlarge=26 g5.xlarge=6 i3en.xlarge=14 i4i.xlarge=8 m5zn.xlarge=31
  x2iedn.xlarge=13 z1d.xlarge=30 i7ie.2xlarge=29 i8ge.2xlarge=29 x2iedn.2xlarge=29 d3en.2xlarge=60 z1d.2xlarge=60 g5.2xlarge=19
  trn1.2xlarge=19 m5zn.2xlarge=64 x2iezn.2xlarge=64 d3.2xlarge=94 g7e.2xlarge=122 i3en.2xlarge=30 i4i.2xlarge=28
  i7ie.3xlarge=29 i8ge.3xlarge=29 m5zn.3xlarge=98 z1d.3xlarge=60 g5.4xlarge=40 d3.4xlarge=120 d3en.4xlarge=120
  x2iezn.4xlarge=120 g7e.4xlarge=126 i4i.4xlarge=58 d3en.6xlarge=120 m5zn.6xlarge=120 x2iezn.6xlarge=120 f2.6xlarge=90
  d3.8xlarge=120 d3en.8xlarge=120 x2iedn.8xlarge=120 x2iezn.8xlarge=120 g7e.8xlarge=126 i4i.8xlarge=118
  i4i.12xlarge=118 g7e.12xlarge=128 i7i.12xlarge=90 c8g-flex.16xlarge=60 m8g-flex.16xlarge=60 i4i.16xlarge=133
  i4i.24xlarge=118 i4i.32xlarge=133 g7e.24xlarge=138 g7e.48xlarge=158 p5.48xlarge=182 p5e.48xlarge=182 p5en.48xlarge=182
  p6-b200.48xlarge=150 p6-b300.48xlarge=186 i3.metal=133 i4i.metal=133 m5.metal=133 r5.metal=133 a1.metal=60
  trn1n.32xlarge=198 u-3tb1.56xlarge=12`).map((entry): [string, number] => {
    const [type = '', budget] = entry.split('=')
    return [type, budget === 'none' ? Number.NaN : Number(budget)]
  }),
)

export interface PodENIFacts {
  readonly name: string
  readonly hypervisor: string | undefined
  /** Of all cards together. */
  readonly networkInterfacesMax: number
}

export function podENILimit(type: PodENIFacts): number {
  const [family = '', size = ''] = type.name.split('.')
  if (type.hypervisor === 'xen' || withoutTrunking.has(family) || !hasNetworkLimits(type.name)) return 0
  if (size.startsWith('metal-') && metalWithoutTrunking.has(family)) return 0
  const budget = exceptions.get(type.name) ?? budgetOf(family, size)
  return Number.isNaN(budget) ? 0 : Math.max(0, budget - type.networkInterfacesMax + 2)
}

/** Whether the table says anything of the type: of others the VPC controller serves neither branch interfaces nor addresses for Windows. */
export function hasNetworkLimits(name: string): boolean {
  return !withoutLimits.has(name.split('.')[0] ?? '')
}

function budgetOf(family: string, size: string): number {
  if (family === 'g4ad') return 12
  if (family.startsWith('mac')) return 12
  if (size === '8xlarge' && with90At8xlarge.has(family)) return 90
  if (size === '12xlarge' && (with60At12xlarge.has(family) || gravitonFamily.test(family))) return 60
  if (family.endsWith('-flex')) {
    const flex = flexBudgetBySize[size]
    if (flex !== undefined) return flex
  }
  return budgetBySize[size] ?? largestBudget
}

function words(text: string): string[] {
  return text.trim().split(/\s+/)
}
