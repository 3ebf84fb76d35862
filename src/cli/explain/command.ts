import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { nodePoolHash } from '../../api/hash/index.ts'
import { labelRegion } from '../../api/labels.ts'
import { createHTTPClient } from '../../kube/http-client.ts'
import { loadKubeConfig } from '../../kube/kube-config.ts'
import { systemClock } from '../../kube/system-clock.ts'
import { systemRandom } from '../../kube/system-random.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { coreGates } from '../../operator/option-table.ts'
import { gates as gateOption } from '../../operator/option-kinds.ts'
import { defaultSettings } from '../../scheduling/index.ts'
import { type ExitCode, print, printJSON, ProblemsError, type Terminal, UsageError } from '../command-line.ts'
import type { CommandFactory } from '../main.ts'
import { readObjects } from '../simulate/command.ts'
import { withConditions } from '../simulate/disrupt.ts'
import { resolveInstanceTypes } from '../simulate/instance-types.ts'
import { type SimulationObjects, sortObjects } from '../simulate/objects.ts'
import { overlaid } from '../simulate/overlays.ts'
import { buildWorld, newestTimestamp } from '../simulate/world.ts'
import { readCluster } from '../snapshot/command.ts'
import type { Explanation } from './explanation.ts'
import { explainNode, explainNodeClaim } from './node.ts'
import { explainNodePool } from './node-pool.ts'
import { explainPod } from './pod.ts'
import { explanationText } from './view.ts'

const subjects = ['pod', 'node', 'nodeclaim', 'nodepool'] as const
export type Subject = (typeof subjects)[number]

interface ExplainOptions {
  readonly filename: readonly string[]
  readonly kubeconfig?: string
  readonly context?: string
  readonly namespace: string
  readonly region?: string
  readonly now?: number
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly output: 'text' | 'json'
}

export const explainCommand: CommandFactory = (terminal, exit) =>
  new Command('explain')
    .description('why a pod waits, why a node is or is not disrupted, what a NodePool allows; and what would change it')
    .addArgument(new Argument('<kind>', 'what to explain').choices(subjects))
    .argument('<name>', 'its name; a pod also as namespace/name')
    .option('-f, --filename <file>', 'manifests or snapshots instead of a live cluster; may be repeated', collect, [])
    .option('--kubeconfig <file>', 'kubeconfig to use; default: KUBECONFIG, then ~/.kube/config, then in-cluster')
    .option('--context <name>', 'context of the kubeconfig')
    .option('-n, --namespace <name>', 'namespace of the pod', 'default')
    .option('--region <name>', "region of the built-in catalogue; default: the nodes', else us-east-1")
    .option('--now <time>', 'RFC 3339; default: now, with files the newest timestamp in them', parseTime)
    .option('--feature-gates <list>', 'A=true,B=false, as the controller is set', parseGates, coreGates)
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action(async (subject: Subject, name: string, options: ExplainOptions) => {
      exit(await run(subject, name, options, terminal))
    })

async function run(subject: Subject, name: string, options: ExplainOptions, terminal: Terminal): Promise<ExitCode> {
  const isOffline = options.filename.length > 0
  if (isOffline && (options.context !== undefined || options.kubeconfig !== undefined)) {
    throw new UsageError('--filename and a live cluster (--context, --kubeconfig) exclude each other')
  }
  const objects = isOffline ? await readObjects(options.filename, terminal) : await liveObjects(options, terminal)
  const now = options.now ?? (isOffline ? newestTimestamp(objects) : systemClock().now())
  const region = options.region ?? regionOf(objects)
  const found = explain(subject, name, objects, { ...options, now, region })
  if (found === undefined)
    throw new ProblemsError([`there is no ${subject} ${name} in ${isOffline ? 'the input' : 'the cluster'}`])
  if (options.output === 'json') printJSON(terminal.stdout, found)
  else print(terminal.stdout, explanationText(found))
  return 0
}

/** The pure heart of the command; undefined when the object is not there. */
export function explain(
  subject: Subject,
  name: string,
  objects: SimulationObjects,
  options: {
    readonly namespace: string
    readonly now: number
    readonly region: string
    readonly featureGates: Readonly<Record<string, boolean>>
  },
): Explanation | undefined {
  const { now, featureGates } = options
  const { instanceTypes, vocabulary } = resolveInstanceTypes(objects, options.region)
  const settings = {
    ...defaultSettings,
    vocabulary,
    reservationLabel: featureGates['ReservedCapacity'] === false ? '' : defaultSettings.reservationLabel,
    nodePoolHash,
  }
  const plain = buildWorld(objects, { now, instanceTypes })
  const priced = featureGates['NodeOverlay'] === true ? overlaid(plain, objects, vocabulary) : plain
  const snapshot = { ...priced, nodes: priced.nodes.map((node) => withConditions(node, priced, objects)) }
  switch (subject) {
    case 'pod': {
      const [first = '', second] = name.split('/', 2)
      const key =
        second === undefined ? { namespace: options.namespace, name: first } : { namespace: first, name: second }
      return explainPod(key, snapshot, settings)
    }
    case 'node':
      return explainNode(name, { snapshot, settings, gates: featureGates })
    case 'nodeclaim':
      return explainNodeClaim(name, objects.nodeClaims, { snapshot, settings, gates: featureGates })
    case 'nodepool':
      return explainNodePool(name, snapshot, settings)
  }
}

async function liveObjects(options: ExplainOptions, terminal: Terminal): Promise<SimulationObjects> {
  const { kubeconfig, context } = options
  const config = loadKubeConfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  const client = createHTTPClient({
    config,
    clock: systemClock(),
    random: systemRandom(),
    qps: 50,
    burst: 100,
    userAgent: 'joinery-explain',
  })
  try {
    const objects = await readCluster(client, terminal)
    return sortObjects(
      objects.map((object, index) => ({
        file: 'cluster',
        index,
        line: 1,
        content: { kind: 'object', object: { ...object } },
        locate: () => ({ line: 1, column: 1 }),
      })),
    )
  } finally {
    await client.close()
  }
}

function regionOf({ nodes, nodeClaims }: SimulationObjects): string {
  const labelled = [...nodes, ...nodeClaims].flatMap(({ metadata }) => metadata.labels?.[labelRegion] ?? [])
  return labelled[0] ?? 'us-east-1'
}

function parseTime(text: string): number {
  const time = parseTimestamp(text)
  if (time === undefined) throw new InvalidArgumentError('expected a time such as 2026-06-14T12:00:00Z')
  return time
}

function parseGates(text: string): Readonly<Record<string, boolean>> {
  const parsed = gateOption(coreGates).parseFlag(text)
  if (parsed.kind !== 'ok') throw new InvalidArgumentError(parsed.message)
  return parsed.value
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}
