import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { coreGates } from '../../../src/operator/option-table.ts'
import { doubtsAbout, nominationMs, type Options, parseOptions, settingsPage } from '../../../src/operator/options.ts'

const cluster = { CLUSTER_NAME: 'test' }

function parsed(args: readonly string[], env: Record<string, string> = {}): Options {
  const result = parseOptions(args, { ...cluster, ...env })
  if (result.kind !== 'ok') throw new Error(JSON.stringify(result))
  return result.options
}

function errors(args: readonly string[], env: Record<string, string> = {}): readonly string[] {
  const result = parseOptions(args, { ...cluster, ...env })
  return result.kind === 'invalid' ? result.errors : []
}

describe('values', () => {
  const cases: Record<string, { args?: string[]; env?: Record<string, string>; want: Partial<Options> }> = {
    'defaults hold when nothing is said': {
      want: {
        metricsPort: 8080,
        healthProbePort: 8081,
        kubeClientQPS: 200,
        batchMaxDuration: 10_000,
        ignoreDRARequests: true,
        disableControllerWarmup: true,
        vmMemoryOverheadPercent: 0.075,
      },
    },
    'the environment wins over the default': { env: { BATCH_IDLE_DURATION: '2s' }, want: { batchIdleDuration: 2_000 } },
    'a flag wins over the environment': {
      args: ['--batch-idle-duration=3s'],
      env: { BATCH_IDLE_DURATION: '2s' },
      want: { batchIdleDuration: 3_000 },
    },
    'a flag may stand apart from its value, with one dash': {
      args: ['-metrics-port', '9090'],
      want: { metricsPort: 9090 },
    },
    'a bare boolean flag is true': {
      args: ['--enable-profiling', '--isolated-vpc=false', '--disable-dry-run=true'],
      want: { enableProfiling: true, isolatedVPC: false, disableDryRun: true },
    },
    'case 140: CPU_REQUESTS=0 counts as 1000': { env: { CPU_REQUESTS: '0' }, want: { cpuRequests: 1000 } },
    'CPU_REQUESTS below that counts as 1000 too': { env: { CPU_REQUESTS: '-500' }, want: { cpuRequests: 1000 } },
    'CPU_REQUESTS above that counts as it is': { env: { CPU_REQUESTS: '2500' }, want: { cpuRequests: 2500 } },
    'the least that is allowed is allowed, and so is an endpoint with scheme and host': {
      env: {
        CLUSTER_ENDPOINT: 'https://0123ABCD.gr7.eu-west-1.eks.amazonaws.com',
        VM_MEMORY_OVERHEAD_PERCENT: '0',
        RESERVED_ENIS: '0',
        AMI_REFRESH_INTERVAL: '1m',
        SUBNET_REFRESH_INTERVAL: '60s',
      },
      want: {
        clusterEndpoint: 'https://0123ABCD.gr7.eu-west-1.eks.amazonaws.com',
        vmMemoryOverheadPercent: 0,
        reservedENIs: 0,
        amiRefreshInterval: 60_000,
        subnetRefreshInterval: 60_000,
      },
    },
    'case 140: a port that is no number falls back': { env: { METRICS_PORT: 'abc' }, want: { metricsPort: 8080 } },
    'a whole number is written in decimal digits': {
      env: { METRICS_PORT: '0x1F90', HEALTH_PROBE_PORT: '9e3', KUBE_CLIENT_QPS: '20.5', KUBE_CLIENT_BURST: '+400' },
      want: { metricsPort: 8080, healthProbePort: 8081, kubeClientQPS: 200, kubeClientBurst: 400 },
    },
    'a share that is no finite number falls back': {
      env: { VM_MEMORY_OVERHEAD_PERCENT: 'Infinity' },
      want: { vmMemoryOverheadPercent: 0.075 },
    },
    'a share of nothing but a space falls back': {
      env: { VM_MEMORY_OVERHEAD_PERCENT: ' ' },
      want: { vmMemoryOverheadPercent: 0.075 },
    },
    'a duration that cannot be read falls back': {
      env: { BATCH_MAX_DURATION: 'soon' },
      want: { batchMaxDuration: 10_000 },
    },
    'environment booleans may be 1 or T': {
      env: { ISOLATED_VPC: '1', DISABLE_DRY_RUN: 'T', EKS_CONTROL_PLANE: 'yes' },
      want: { isolatedVPC: true, disableDryRun: true, eksControlPlane: false },
    },
    'gates are merged over their defaults, spaces and unknown ones are passed over': {
      env: { FEATURE_GATES: ' NodeRepair = true ,Unheard=true' },
      want: {
        featureGates: {
          NodeRepair: true,
          ReservedCapacity: true,
          SpotToSpotConsolidation: false,
          NodeOverlay: false,
          StaticCapacity: false,
          CapacityBuffer: false,
        },
      },
    },
    'the dashboard listens where somebody said': {
      env: { JOINERY_DASHBOARD_ADDRESS: '127.0.0.1:8090' },
      want: { dashboardAddress: '127.0.0.1:8090' },
    },
    'a gate that is on can be switched off, and one be switched on as Go reads a boolean': {
      env: { FEATURE_GATES: 'ReservedCapacity=false,StaticCapacity=1' },
      want: { featureGates: { ...coreGates, ReservedCapacity: false, StaticCapacity: true } },
    },
    'severities of rules are read as they are written': {
      env: { JOINERY_RULE_SEVERITIES: 'JN-207=off, JN-208=deny,JN-210=warn' },
      want: { ruleSeverities: { 'JN-207': 'off', 'JN-208': 'deny', 'JN-210': 'warn' } },
    },
    'a comma too many among gates is passed over': {
      args: ['--feature-gates=NodeRepair=true,'],
      want: { featureGates: { ...coreGates, NodeRepair: true } },
    },
    'an empty log level is allowed': { args: ['--log-level='], want: { logLevel: '' } },
    'plans are tight, because pods are nominated': { want: { packing: 'improved', nominatePods: true } },
    'where pods are not nominated, plans are not tight': {
      env: { JOINERY_NOMINATE_PODS: 'false', JOINERY_PACKING: '' },
      want: { packing: 'greedy' },
    },
    'plans are as tight as somebody said, even if no pod is nominated': {
      args: ['--nominate-pods=false', '--packing=improved'],
      want: { packing: 'improved' },
    },
    'nor are they, when somebody said so': { env: { JOINERY_PACKING: 'greedy' }, want: { packing: 'greedy' } },
  }
  test.each(Object.entries(cases))('%s', (_name, { args = [], env = {}, want }) => {
    expect(parsed(args, env)).toMatchObject(want)
  })
})

test.each([
  ['twice the longest batch', [], 20_000],
  ['at least ten seconds', ['--batch-max-duration=2s'], 10_000],
])('case 23: a nomination lasts %s', (_name, args, ms) => {
  expect(nominationMs(parsed(args))).toBe(ms)
})

test.each([
  ['the environment', [], { FEATURE_GATES: 'Drift=true,NodeRepair=true' }, 'FEATURE_GATES'],
  ['a flag', ['--feature-gates', 'Drift=true'], {}, '-feature-gates'],
] as const)('a gate that there is not is passed over with a warning: in %s', (_name, args, env, setting) => {
  const result = parseOptions(['--cluster-name', 'c', ...args], env)
  expect(result.kind === 'ok' ? result.warnings : result).toEqual([
    expect.stringMatching(new RegExp(`^${setting}: there is no gate Drift, only NodeRepair, `)),
  ])
})

test.each([
  ['improved', false, 1],
  ['improved', true, 0],
  ['greedy', false, 0],
])('packing %s with nominations %s leaves %i doubts', (packing, nominatePods, count) => {
  expect(doubtsAbout({ packing, nominatePods })).toHaveLength(count)
})

describe('complaints', () => {
  const cases: Record<string, { args?: string[]; env?: Record<string, string>; want: string }> = {
    'case 140: LOG_LEVEL=warn': { env: { LOG_LEVEL: 'warn' }, want: 'invalid LOG_LEVEL' },
    'a flag that is no number': {
      args: ['--metrics-port=abc'],
      want: 'invalid value "abc" for flag -metrics-port: parse error',
    },
    'a boolean flag that is 1': {
      args: ['--enable-profiling=1'],
      want: 'invalid value "1" for flag -enable-profiling',
    },
    'a gate that is neither on nor off': {
      args: ['--feature-gates=NodeRepair=yes'],
      want: 'invalid value of NodeRepair=yes, err: strconv.ParseBool: parsing "yes": invalid syntax',
    },
    'a comma too many among severities does not hide a severity that there is not': {
      args: ['--rule-severities=JN-207=off,,JN-207=no'],
      want: 'JN-207=no is not RULE=deny, RULE=warn or RULE=off',
    },
    'an address to listen at that is none': {
      env: { JOINERY_DASHBOARD_ADDRESS: 'everywhere' },
      want: 'invalid JOINERY_DASHBOARD_ADDRESS: parse error',
    },
    'an endpoint that only begins like a URL': {
      env: { CLUSTER_ENDPOINT: 'https://example.com:port' },
      want: 'cluster endpoint URL is not valid',
    },
    'a flag nobody knows': { args: ['--no-such'], want: 'flag provided but not defined: -no-such' },
    'a flag without its value': { args: ['--metrics-port'], want: 'flag needs an argument: -metrics-port' },
    'gates that are not pairs': { env: { FEATURE_GATES: 'NodeRepair' }, want: 'missing bool value for NodeRepair' },
    'a severity that there is not': {
      args: ['--rule-severities=JN-207=no'],
      want: 'JN-207=no is not RULE=deny, RULE=warn or RULE=off',
    },
    'a severity of a rule that there is not': {
      args: ['--rule-severities=JN-207=off,JN-999=off'],
      want: 'there is no rule JN-999',
    },
    'another preference policy': { args: ['--preference-policy=Maybe'], want: 'invalid PREFERENCE_POLICY' },
    'no cluster name': { env: { CLUSTER_NAME: '' }, want: 'missing field, cluster-name' },
    'an endpoint that is no URL': {
      env: { CLUSTER_ENDPOINT: 'example.com' },
      want: 'cluster endpoint URL is not valid',
    },
    'a negative overhead': {
      env: { VM_MEMORY_OVERHEAD_PERCENT: '-0.1' },
      want: 'vm-memory-overhead-percent cannot be negative',
    },
    'intervals below a minute': {
      env: { AMI_REFRESH_INTERVAL: '59s' },
      want: 'ami-refresh-interval cannot be less than 1m',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { args = [], env = {}, want }) => {
    expect(errors(args, env).join('\n')).toContain(want)
  })

  test('all are told at once', () => {
    expect(errors(['--reserved-enis=-1'], { CLUSTER_NAME: '', LOG_LEVEL: 'x' })).toHaveLength(3)
  })
})

describe('scheduler config', () => {
  const constraint = 'topologyKey: zone, whenUnsatisfiable: DoNotSchedule'
  const of = (...items: string[]) =>
    `podTopologySpread: {defaultConstraints: [${items.map((item) => `{${item}}`).join(', ')}]}`
  const cases: Record<string, { text: string; want: string }> = {
    'an unknown field': { text: 'podTopology: {}', want: 'decoding scheduler config, unknown field "podTopology"' },
    'no skew': {
      text: of(`maxSkew: 0, ${constraint}`),
      want: 'validating scheduler config, podTopologySpread.defaultConstraints[0].maxSkew must be greater than 0',
    },
    'no key': { text: of('maxSkew: 1, whenUnsatisfiable: DoNotSchedule'), want: '[0].topologyKey must be set' },
    'a key that is no text': {
      text: of('maxSkew: 1, topologyKey: 5, whenUnsatisfiable: DoNotSchedule'),
      want: 'decoding scheduler config, podTopologySpread.defaultConstraints[0].topologyKey is not a text',
    },
    'a key of nothing': {
      text: of('maxSkew: 1, topologyKey: null, whenUnsatisfiable: DoNotSchedule'),
      want: '[0].topologyKey must be set',
    },
    'another action': {
      text: of('maxSkew: 1, topologyKey: zone, whenUnsatisfiable: Never'),
      want: '[0].whenUnsatisfiable "Never" must be one of "DoNotSchedule" or "ScheduleAnyway"',
    },
    'a selector': {
      text: of(`maxSkew: 1, ${constraint}, labelSelector: {}`),
      want: '[0].labelSelector must not be set, as selectors are deduced for each pod',
    },
    'the same twice': {
      text: of(`maxSkew: 1, ${constraint}`, `maxSkew: 2, ${constraint}`),
      want: '[1] is a duplicate of [0], {zone, DoNotSchedule}',
    },
  }
  test.each(Object.entries(cases))('%s is refused', (_name, { text, want }) => {
    expect(errors([], { SCHEDULER_CONFIG: text }).join()).toContain(want)
  })

  test('constraints are read from YAML and JSON', () => {
    const text = JSON.stringify({
      podTopologySpread: {
        defaultConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
      },
    })
    expect(parsed([], { SCHEDULER_CONFIG: text }).scheduler.defaultConstraints).toHaveLength(1)
    expect(parsed([], { SCHEDULER_CONFIG: of(`maxSkew: 1, ${constraint}`) }).scheduler.defaultConstraints).toHaveLength(
      1,
    )
  })
})

test('--help names every flag and its variable', () => {
  const help = parseOptions(['--help'], {})
  expect(help.kind === 'help' && help.text).toContain('--batch-max-duration duration')
  expect(help.kind === 'help' && help.text).toContain('JOINERY_OBSERVE')
})

test('the settings page is made from the table', () => {
  expect(readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8')).toBe(settingsPage())
})

test('a variable of ours that cannot be read stops the start: one of them keeps the operator from writing', () => {
  expect(parseOptions([], { ...cluster, JOINERY_OBSERVE: 'yes', JOINERY_LAUNCH_BUDGET: 'many' })).toEqual({
    kind: 'invalid',
    errors: ['invalid JOINERY_OBSERVE: not a boolean', 'invalid JOINERY_LAUNCH_BUDGET: parse error'],
  })
})

test.each([
  ['--metrics-port=99999999', 'metrics-port must be from 0 to 65535, and is 99999999'],
  ['--health-probe-port=-1', 'health-probe-port must be from 0 to 65535, and is -1'],
  ['--kube-client-qps=0', 'kube-client-qps must be at least 1, and is 0'],
  ['--kube-client-qps=-1', 'kube-client-qps must be at least 1, and is -1'],
  ['--packing=best', 'invalid packing "best", expected improved or greedy'],
  ['--packing-largest-share=5', 'packing-largest-share must be from 0 to 1, and is 5'],
  ['--packing-budget=-1', 'packing-budget must be at least 0, and is -1'],
  ['--launch-budget=-3', 'launch-budget must be at least 0, and is -3'],
  ['--disruption-brake=-1', 'disruption-brake must be at least 0, and is -1'],
  ['--disruption-brake-window=0s', 'disruption-brake-window must be at least 1s, and is 0s'],
  ['--circuit-breaker-window=0', 'circuit-breaker-window must be at least 1, and is 0'],
  ['--circuit-breaker-failures=-1', 'circuit-breaker-failures must be at least 0, and is -1'],
  ['--circuit-breaker-back-off=0s', 'circuit-breaker-back-off must be at least 1s, and is 0s'],
  ['--circuit-breaker-back-off=-1m', 'circuit-breaker-back-off must be at least 1s, and is -1m0s'],
  [
    '--circuit-breaker-back-off=10m',
    'circuit-breaker-back-off-max must be at least circuit-breaker-back-off, 10m0s, and is 8m0s',
  ],
  ['--launch-budget-refill=0s', 'launch-budget-refill must be at least 1s, and is 0s'],
  ['--launch-budget-refill=-5m', 'launch-budget-refill must be at least 1s, and is -5m0s'],
  ['--shutdown-grace-period=-1s', 'shutdown-grace-period must be at least 0s, and is -1s'],
])('%s is refused', (flag, message) => {
  expect(parseOptions([flag], cluster)).toEqual({ kind: 'invalid', errors: [message] })
})

test.each([
  ['--circuit-breaker-back-off=1s'],
  ['--circuit-breaker-back-off=8m'],
  ['--circuit-breaker-back-off-max=1m'],
  ['--launch-budget-refill=1s'],
  ['--disruption-brake-window=1s'],
  ['--shutdown-grace-period=0s'],
])('%s is taken', (flag) => {
  expect(parseOptions([flag], cluster).kind).toBe('ok')
})

test('an environment value that is passed over is told, without the value', () => {
  const result = parseOptions([], { ...cluster, METRICS_PORT: 'abc', BATCH_MAX_DURATION: '5s' })
  expect(result).toMatchObject({ kind: 'ok', warnings: ['METRICS_PORT: parse error; the default is used'] })
})
