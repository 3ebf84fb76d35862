import { InvalidArgumentError, Option } from 'commander'
import type { Container, Deployment } from '../api/kubernetes.ts'
import { gates } from '../operator/option-kinds.ts'
import { coreGates } from '../operator/option-table.ts'
import { print, type Terminal } from './command-line.ts'
import { printableText } from './table.ts'

export type FeatureGates = Readonly<Record<string, boolean>>

const defaults = textOf(coreGates)

/** The flag of commands that set an operator up, with its names and defaults. */
export function featureGatesOption(): Option {
  return new Option('--feature-gates <list>', 'gates to switch on or off: A=true,B=false')
    .argParser(parseGates)
    .default(coreGates, defaults)
}

/** The same of commands that decide as an operator would that may be there: left out, they are looked for. */
export function operatorGatesOption(): Option {
  return new Option(
    '--feature-gates <list>',
    `gates to switch on or off: A=true,B=false; default: as the operator's Deployment has them, where it is seen, else ${defaults}`,
  ).argParser(parseGates)
}

/** What operators take their gates from, Karpenter's as well. Others may have a variable of that name, but none of these gates in it. */
export function gatesVariablesOf({
  env = [],
}: Container): readonly { readonly name: string; readonly value: string }[] {
  return env.flatMap(({ name, value = '' }) =>
    name === 'FEATURE_GATES' && Object.keys(coreGates).some((gate) => value.includes(`${gate}=`))
      ? [{ name, value }]
      : [],
  )
}

interface GatedObjects {
  readonly deployments: readonly Deployment[]
  readonly nodeOverlays: readonly unknown[]
  readonly capacityBuffers: readonly unknown[]
}

/**
 * Those that are given, else the operator's, which is told when they are not the usual ones, else the usual ones. Objects that nobody looks
 * at for want of a gate are told of, unless gates were given.
 */
export function gatesInForce(
  given: FeatureGates | undefined,
  objects: GatedObjects,
  terminal: Pick<Terminal, 'stderr'>,
): FeatureGates {
  if (given !== undefined) return given
  const found = operatorGates(objects.deployments)
  if (found !== undefined) tellUnusual(found, terminal)
  const inForce: FeatureGates = found?.gates ?? coreGates
  const { nodeOverlays, capacityBuffers } = objects
  for (const [gate, { length }] of Object.entries({ NodeOverlay: nodeOverlays, CapacityBuffer: capacityBuffers })) {
    if (length === 0 || inForce[gate] === true) continue
    const why =
      found === undefined
        ? `no Deployment of an operator is seen, so the feature gate ${gate} is taken to be off; --feature-gates says otherwise`
        : `the feature gate ${gate} is off`
    print(terminal.stderr, `note: ${gate}s count for nothing: ${why}`)
  }
  return inForce
}

function tellUnusual({ gates: found, metadata }: OperatorGates, terminal: Pick<Terminal, 'stderr'>): void {
  const unusual = unusualGates(found)
  if (unusual === undefined) return
  const { namespace = '', name } = metadata
  print(terminal.stderr, printableText(`note: feature gates as Deployment ${namespace}/${name} has them: ${unusual}`))
}

/** Those that are not as they are by default, in the form of the flag; undefined when there are none. */
export function unusualGates(found: FeatureGates): string | undefined {
  const usual: FeatureGates = coreGates
  const unusual = Object.entries(found).filter(([name, on]) => usual[name] !== on)
  return unusual.length === 0 ? undefined : textOf(Object.fromEntries(unusual))
}

interface OperatorGates {
  readonly gates: FeatureGates
  readonly metadata: Deployment['metadata']
}

/** Of the first operator that runs. */
function operatorGates(deployments: readonly Deployment[]): OperatorGates | undefined {
  for (const { metadata, spec } of deployments) {
    if (spec.replicas === 0) continue
    for (const container of spec.template.spec.containers) {
      const [variable] = gatesVariablesOf(container)
      const parsed = variable === undefined ? undefined : gates(coreGates).parseFlag(variable.value)
      if (parsed?.kind === 'ok') return { gates: parsed.value, metadata }
    }
  }
  return undefined
}

function textOf(set: FeatureGates): string {
  return Object.entries(set)
    .map(([name, on]) => `${name}=${on}`)
    .join(',')
}

function parseGates(text: string): FeatureGates {
  const parsed = gates(coreGates).parseFlag(text)
  if (parsed.kind !== 'ok') throw new InvalidArgumentError(parsed.message)
  // Who types them means them; only what an operator is given may hold some of former versions.
  const [unknown] = parsed.passedOver ?? []
  if (unknown !== undefined) throw new InvalidArgumentError(unknown)
  return parsed.value
}
