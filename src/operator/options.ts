import { formatDurationMs } from '../api/duration.ts'
import type { AWSSettings } from '../cloud/aws/settings.ts'
import { logLevels } from './logging.ts'
import { type OptionName, type OptionRow, optionTable, type OptionValues } from './option-table.ts'
import { parseSchedulerConfig, type SchedulerConfig } from './scheduler-config.ts'

export interface Options extends OptionValues {
  readonly scheduler: SchedulerConfig
}

export type OptionsResult =
  | { readonly kind: 'ok'; readonly options: Options; readonly warnings: readonly string[] }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly errors: readonly string[] }

export type Environment = Readonly<Record<string, string | undefined>>

/** What a caller without a cloud, such as the embedded cluster, does not have to say. */
export interface ParseMode {
  readonly cloud: 'aws' | 'none'
}

type AnyRow = OptionRow<unknown>

/** The table for whoever handles all settings alike. */
const rowsByName: Readonly<Record<OptionName, AnyRow>> = optionTable
const rows: readonly AnyRow[] = Object.values(optionTable)
const rowsByFlag: ReadonlyMap<string, AnyRow> = new Map(rows.map((row) => [row.flag, row]))

const cpuRequestsDefault = 1000
const refreshIntervalMinMs = 60_000

/** Flags win over the environment, which wins over defaults. All complaints are collected. */
export function parseOptions(
  args: readonly string[],
  env: Environment,
  mode: ParseMode = { cloud: 'aws' },
): OptionsResult {
  const flags = parseFlags(args)
  if (flags.help) return { kind: 'help', text: helpText() }
  const errors = [...flags.errors]
  const warnings = [...flags.warnings]
  const given = (row: AnyRow): string => env[row.env] ?? ''
  const isGiven = (name: OptionName): boolean => {
    const row = rowsByName[name]
    return flags.values.has(row.flag) || given(row) !== ''
  }
  const value = (name: OptionName): unknown => {
    const row = rowsByName[name]
    if (flags.values.has(row.flag)) return flags.values.get(row.flag)
    if (given(row) === '') return row.default
    const parsed = row.kind.parseEnv(given(row))
    if (parsed.kind === 'ok') {
      warnings.push(...passedOver(row.env, parsed))
      return parsed.value
    }
    // A gate that cannot be read might have switched off something dangerous; other values fall back, as in Karpenter. Ours do not:
    // one of them keeps the operator from writing.
    if (row.kind.name === 'gates') errors.push(`parsing feature gates, ${parsed.message}`)
    else if (row.group === 'joinery') errors.push(`invalid ${row.env}: ${parsed.message}`)
    else warnings.push(`${row.env}: ${parsed.message}; the default is used`)
    return row.default
  }
  const names = Object.keys(optionTable) as OptionName[]
  const values = Object.fromEntries(names.map((name) => [name, value(name)])) as OptionValues
  const settled = {
    ...values,
    cpuRequests: values.cpuRequests > 0 ? values.cpuRequests : cpuRequestsDefault,
    // kube-scheduler follows a tight plan only where pods are nominated: without, whoever wants one has to say so.
    packing: values.nominatePods || isGiven('packing') ? values.packing : 'greedy',
  }
  errors.push(...coreErrors(settled), ...ownErrors(settled), ...(mode.cloud === 'aws' ? awsErrors(settled) : []))
  const scheduler = parseSchedulerConfig(settled.schedulerConfig)
  if (scheduler.kind === 'invalid') return { kind: 'invalid', errors: [...errors, scheduler.message] }
  if (errors.length > 0) return { kind: 'invalid', errors }
  return { kind: 'ok', options: Object.freeze({ ...settled, scheduler: scheduler.config }), warnings }
}

/** What can be asked for, but works against itself; a sentence each. */
export function doubtsAbout({ packing, nominatePods }: Pick<Options, 'packing' | 'nominatePods'>): readonly string[] {
  return packing === 'improved' && !nominatePods
    ? [
        'packing is improved but pods are not nominated: kube-scheduler will not follow tight plans, pods will be left over',
      ]
    : []
}

/** The defaults, with some values changed: for the embedded cluster and for tests. */
export function defaultOptions(changes: Partial<Options> = {}): Options {
  const defaults = Object.fromEntries(Object.entries(optionTable).map(([name, row]) => [name, row.default]))
  return Object.freeze({ ...(defaults as OptionValues), scheduler: { defaultConstraints: [] }, ...changes })
}

/** How long a nomination protects a node from disruption. */
export function nominationMs(options: Pick<Options, 'batchMaxDuration'>): number {
  return Math.max(2 * options.batchMaxDuration, 10_000)
}

export function awsSettingsOf(options: Options): AWSSettings {
  return {
    clusterName: options.clusterName,
    clusterEndpoint: options.clusterEndpoint,
    clusterCABundle: options.clusterCABundle,
    isolatedVPC: options.isolatedVPC,
    eksControlPlane: options.eksControlPlane,
    vmMemoryOverheadPercent: options.vmMemoryOverheadPercent,
    interruptionQueue: options.interruptionQueue,
    reservedENIs: options.reservedENIs,
    disableDryRun: options.disableDryRun,
    enableZonalShift: options.enableZonalShift,
    amiRefreshIntervalMs: options.amiRefreshInterval,
    subnetRefreshIntervalMs: options.subnetRefreshInterval,
  }
}

function passedOver(setting: string, parsed: { readonly passedOver?: readonly string[] }): string[] {
  return (parsed.passedOver ?? []).map((text) => `${setting}: ${text}`)
}

interface Flags {
  readonly values: ReadonlyMap<string, unknown>
  readonly errors: readonly string[]
  readonly warnings: readonly string[]
  readonly help: boolean
}

/** Go's flags: one dash or two, `-flag=value` or `-flag value`, booleans without a value. */
function parseFlags(args: readonly string[]): Flags {
  const values = new Map<string, unknown>()
  const errors: string[] = []
  const warnings: string[] = []
  const left = [...args]
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    const match = /^--?([^=-][^=]*)(?:=(.*))?$/s.exec(arg)
    const flag = match?.[1]
    if (flag === undefined) {
      errors.push(`unexpected argument: ${arg}`)
      continue
    }
    if (flag === 'help' || flag === 'h') return { values, errors, warnings, help: true }
    const row = rowsByFlag.get(flag)
    if (row === undefined) {
      errors.push(`flag provided but not defined: -${flag}`)
      continue
    }
    const inline = match?.[2]
    if (inline === undefined && row.kind.bare !== undefined) {
      values.set(flag, row.kind.bare)
      continue
    }
    const given = inline ?? left.shift()
    if (given === undefined) {
      errors.push(`flag needs an argument: -${flag}`)
      continue
    }
    const parsed = row.kind.parseFlag(given)
    if (parsed.kind === 'ok') {
      values.set(flag, parsed.value)
      warnings.push(...passedOver(`-${flag}`, parsed))
    } else errors.push(`invalid value ${JSON.stringify(given)} for flag -${flag}: ${parsed.message}`)
  }
  return { values, errors, warnings, help: false }
}

function coreErrors(values: OptionValues): string[] {
  const oneOf = (name: string, value: string, allowed: readonly string[]): string[] =>
    allowed.includes(value) ? [] : [`validating cli flags / env vars, invalid ${name} ${JSON.stringify(value)}`]
  return [
    ...oneOf('LOG_LEVEL', values.logLevel, ['', ...logLevels]),
    ...oneOf('PREFERENCE_POLICY', values.preferencePolicy, ['Respect', 'Ignore']),
    ...oneOf('MIN_VALUES_POLICY', values.minValuesPolicy, ['Strict', 'BestEffort']),
    ...within('metrics-port', values.metricsPort, ports),
    ...within('health-probe-port', values.healthProbePort, ports),
    // Of none a second the first comes never, and nothing would say what the operator waits for.
    ...within('kube-client-qps', values.kubeClientQPS, { least: 1 }),
  ]
}

function ownErrors(values: OptionValues): string[] {
  const packings = ['improved', 'greedy']
  return [
    ...(packings.includes(values.packing)
      ? []
      : [`invalid packing ${JSON.stringify(values.packing)}, expected ${packings.join(' or ')}`]),
    ...within('packing-budget', values.packingBudget, { least: 0 }),
    ...within('packing-largest-share', values.packingLargestShare, { least: 0, most: 1 }),
    ...within('launch-budget', values.launchBudget, { least: 0 }),
    ...within('disruption-brake', values.disruptionBrake, { least: 0 }),
    ...atLeast('disruption-brake-window', values.disruptionBrakeWindow, 1_000),
    ...within('circuit-breaker-failures', values.circuitBreakerFailures, { least: 0 }),
    ...within('circuit-breaker-window', values.circuitBreakerWindow, { least: 1 }),
    // A wait of nothing is not a short one: it would be doubled without end, and failures forgiven in no time are not counted.
    ...atLeast('circuit-breaker-back-off', values.circuitBreakerBackOff, 1_000),
    ...(values.circuitBreakerBackOffMax >= values.circuitBreakerBackOff
      ? []
      : [
          `circuit-breaker-back-off-max must be at least circuit-breaker-back-off, ${formatDurationMs(values.circuitBreakerBackOff)}, and is ${formatDurationMs(values.circuitBreakerBackOffMax)}`,
        ]),
    ...atLeast('launch-budget-refill', values.launchBudgetRefill, 1_000),
    ...atLeast('shutdown-grace-period', values.shutdownGracePeriod, 0),
  ]
}

const ports = { least: 0, most: 65_535 }

function within(
  flag: string,
  value: number,
  { least, most }: { readonly least: number; readonly most?: number },
): string[] {
  if (value >= least && value <= (most ?? value)) return []
  return [`${flag} must be ${most === undefined ? `at least ${least}` : `from ${least} to ${most}`}, and is ${value}`]
}

function atLeast(flag: string, ms: number, leastMs: number): string[] {
  if (ms >= leastMs) return []
  return [`${flag} must be at least ${formatDurationMs(leastMs)}, and is ${formatDurationMs(ms)}`]
}

function awsErrors(values: OptionValues): string[] {
  const errors: string[] = []
  if (values.clusterName === '') errors.push('missing field, cluster-name')
  if (values.clusterEndpoint !== '' && !isAbsoluteURL(values.clusterEndpoint)) {
    errors.push(`${JSON.stringify(values.clusterEndpoint)} cluster endpoint URL is not valid`)
  }
  if (values.vmMemoryOverheadPercent < 0) errors.push('vm-memory-overhead-percent cannot be negative')
  if (values.reservedENIs < 0) errors.push('reserved-enis cannot be negative')
  if (values.amiRefreshInterval < refreshIntervalMinMs) errors.push('ami-refresh-interval cannot be less than 1m')
  if (values.subnetRefreshInterval < refreshIntervalMinMs) errors.push('subnet-refresh-interval cannot be less than 1m')
  return errors
}

function isAbsoluteURL(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(address) && URL.canParse(address)
}

function helpText(): string {
  const lines = rows.map(({ flag, env, help, kind, default: value }) => {
    const argument = kind.bare === undefined ? ` ${kind.name}` : ''
    return `  --${flag}${argument}\n      ${help} (${env}, default ${JSON.stringify(kind.format(value))})`
  })
  const usage = [
    'Usage: joinery controller [settings...]',
    'Run the operator. A setting is a flag or an environment variable; flags win.',
    'Settings:',
  ]
  return `${usage.join('\n\n')}\n${lines.join('\n')}\n`
}

/** The reference page of all settings. */
export function settingsPage(): string {
  const sections = [
    ['core', 'Karpenter core', 'The same names, defaults and rules as Karpenter.'],
    ['aws', 'AWS', "The same as Karpenter's AWS provider."],
    ['joinery', 'Joinery', 'Settings that Karpenter does not have.'],
  ] as const
  const body = sections.map(([group, title, about]) => {
    const members = rows.filter((row) => row.group === group)
    const table = members.map(
      (row) =>
        `| \`--${row.flag}\` | \`${row.env}\` | ${row.kind.name} | ${codeOf(row.kind.format(row.default))} | ${row.help} |`,
    )
    return [
      `## ${title}`,
      '',
      about,
      '',
      '| flag | environment | kind | default | meaning |',
      '| --- | --- | --- | --- | --- |',
      ...table,
      '',
    ].join('\n')
  })
  return [
    '# Settings',
    '',
    'A flag wins over the environment, which wins over the default. A flag that cannot be read stops the process with a message, as do',
    'feature gates and variables that begin with `JOINERY_`; other variables are passed over then, as by Karpenter, with a warning.',
    'Durations are written as in Go: `1m30s`. The signal SIGUSR2 switches debug logging on and off while the controller runs.',
    '',
    ...body,
  ].join('\n')
}

function codeOf(value: string): string {
  return value === '' ? '' : `\`${value}\``
}
