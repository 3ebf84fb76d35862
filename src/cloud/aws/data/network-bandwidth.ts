/** Mbps of types whose published bandwidth is not the sum of their network cards' baselines. */
export const networkBandwidthOverrides: ReadonlyMap<string, number> = new Map(
  `
  c3.8xlarge=10000 c6in.32xlarge=200000 c6in.metal=200000 c8gb.16xlarge=133330 c8gb.4xlarge=33330
  c8gb.8xlarge=66660 c8ib.16xlarge=66660 c8ib.32xlarge=133330 c8ib.8xlarge=33330 g6e.24xlarge=200000
  g6e.48xlarge=400000 h1.8xlarge=10000 hpc6id.32xlarge=200000 hpc8a.96xlarge=300000 i3.8xlarge=10000
  i4i.12xlarge=28120 i7i.12xlarge=28120 i8g.12xlarge=28120 i8g.metal-48xl=90000 i8ge.48xlarge=180000
  i8ge.metal-48xl=180000 m6idn.32xlarge=200000 m6idn.metal=200000 m6in.32xlarge=200000 m6in.metal=200000
  m8gb.16xlarge=133330 m8gb.4xlarge=33330 m8gb.8xlarge=66660 m8ib.16xlarge=66660 m8ib.32xlarge=133330
  m8ib.8xlarge=33330 p6-b200.48xlarge=3200000 p6-b300.48xlarge=6400000 r3.8xlarge=10000 r4.8xlarge=10000
  r6idn.32xlarge=200000 r6idn.metal=200000 r6in.32xlarge=200000 r6in.metal=200000 r8gb.16xlarge=133330
  r8gb.4xlarge=33330 r8gb.8xlarge=66660 r8ib.16xlarge=66660 r8ib.32xlarge=133330 r8ib.8xlarge=33330
  trn2.3xlarge=200000 vt1.3xlarge=3120
`
    .trim()
    .split(/\s+/)
    .map((entry): [string, number] => {
      const [name = '', mbps] = entry.split('=')
      return [name, Number(mbps)]
    }),
)

/** Types for which only a vague wording is published. */
export const networkBandwidthUnknown: ReadonlySet<string> = new Set(
  `
  c1.xlarge c3.2xlarge c3.4xlarge c3.xlarge c4.2xlarge c4.4xlarge c4.large c4.xlarge d2.2xlarge d2.4xlarge
  d2.xlarge i2.2xlarge i2.4xlarge i2.xlarge m1.large m1.xlarge m2.2xlarge m2.4xlarge m2.xlarge m3.2xlarge m3.large
  m3.medium m3.xlarge m4.2xlarge m4.4xlarge m4.large m4.xlarge r3.2xlarge r3.4xlarge r3.large r3.xlarge t2.2xlarge
  t2.large t2.xlarge
`
    .trim()
    .split(/\s+/),
)
