import { Command } from 'commander'
import { conditionOf } from '../../api/conditions.ts'
import { nodePoolHash } from '../../api/hash/index.ts'
import { noHeldRoom } from '../../disruption/held-room.ts'
import { defaultSettings } from '../../scheduling/index.ts'
import { type ExitCode, print, ProblemsError, type Terminal, UsageError } from '../command-line.ts'
import { kubeconfigOption, requestTimeoutOption } from '../connect.ts'
import { type FeatureGates, gatesInForce, operatorGatesOption } from '../feature-gates.ts'
import { parseBool, parseTime, repeatable } from '../input/option-values.ts'
import type { CommandFactory } from '../main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from '../output-format.ts'
import { minValuesPolicyOption, preferencePolicyOption, type SchedulingOptions } from '../scheduling-options.ts'
import { heldRoomIn } from '../simulate/buffers.ts'
import { readJudged } from '../simulate/read-objects.ts'
import { withConditions } from '../simulate/disrupt.ts'
import { resolveInstanceTypes } from '../simulate/instance-types.ts'
import { type SimulationObjects, sortObjects } from '../simulate/objects.ts'
import { overlaid } from '../simulate/overlays.ts'
import { chosenRegion } from '../simulate/region.ts'
import { asOperatorSees } from '../simulate/under-way.ts'
import { buildWorld, newestTimestamp } from '../simulate/world.ts'
import { leftOutOf } from '../snapshot/left-out.ts'
import { liveDocuments } from '../snapshot/live-objects.ts'
import type { Explanation, Fact } from './explanation.ts'
import { missingPodText, missingText, type PodKey } from './missing.ts'
import { explainNode, explainNodeClaim } from './node.ts'
import { explainForeignPool, explainNodePool } from './node-pool.ts'
import { explainPod } from './pod.ts'
import { type ExplainedKind, parseSubject, type Subject } from './subject.ts'
import { explanationText } from './view.ts'

/** What decides about pods, of the operator's settings; absent: as they are by default. */
type Policies = Pick<SchedulingOptions, 'preferencePolicy' | 'minValuesPolicy'>

interface ExplainOptions extends Policies {
  readonly filename: readonly string[]
  readonly kubeconfig?: string
  readonly context?: string
  readonly requestTimeout?: number
  readonly namespace: string
  readonly region?: string
  readonly now?: number
  readonly featureGates?: FeatureGates
  readonly ignoreDraRequests: boolean
  readonly output: 'text' | DataFormat
}

export const explainCommand: CommandFactory = (terminal, exit) =>
  new Command('explain')
    .description('why a pod waits, why a node is or is not disrupted, what a NodePool allows; and what would change it')
    .argument('<kind>', 'pod, node, nodeclaim or nodepool; or kind/name, as kubectl prints it')
    .argument('[name]', 'its name; a pod also as namespace/name')
    .addOption(repeatable('-f, --filename <file>', 'manifests or snapshots instead of a live cluster'))
    .addOption(kubeconfigOption())
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(requestTimeoutOption())
    .option('-n, --namespace <name>', 'namespace of the pod', 'default')
    .option('--region <name>', "region of the built-in catalogue; default: the nodes', else us-east-1")
    .option('--now <time>', 'RFC 3339; default: now, with files the newest timestamp in them', parseTime)
    .addOption(operatorGatesOption())
    .addOption(preferencePolicyOption())
    .addOption(minValuesPolicyOption())
    .option('--ignore-dra-requests <bool>', 'refuse pods with resource claims', parseBool, true)
    .addOption(outputOption(['text', 'json', 'yaml']))
    .action(async (kind: string, name: string | undefined, options: ExplainOptions) => {
      exit(await run(parseSubject(kind, name), options, terminal))
    })

async function run({ kind, name }: Subject, options: ExplainOptions, terminal: Terminal): Promise<ExitCode> {
  const isOffline = options.filename.length > 0
  if (isOffline && (options.context !== undefined || options.kubeconfig !== undefined)) {
    throw new UsageError('--filename and a live cluster (--context, --kubeconfig) exclude each other')
  }
  // Before a cluster is read, which takes a while.
  if (kind === 'pod') podKey(name, options.namespace)
  const live = isOffline ? undefined : await liveDocuments(options, 'joinery-explain', terminal)
  const documents = live?.documents ?? (await readJudged(options.filename, terminal))
  const objects = sortObjects(documents)
  const leftOut = leftOutOf(documents)
  const now = options.now ?? live?.now ?? newestTimestamp(objects)
  const region = chosenRegion(options.region, objects, terminal)
  const featureGates = gatesInForce(options.featureGates, objects, terminal)
  const told = explain(kind, name, objects, { ...options, now, region, featureGates, isLive: !isOffline })
  const found =
    told === undefined || leftOut.length === 0 ? told : { ...told, facts: [...told.facts, unreadFact(leftOut)] }
  if (found === undefined) {
    const place = isOffline ? 'the input' : 'the cluster'
    if (leftOut.includes(`${kind}s`)) {
      throw new ProblemsError([
        `${kind}s may not be listed, so whether there is a ${kind} ${name} in ${place} cannot be told`,
      ])
    }
    throw new ProblemsError([
      kind === 'pod'
        ? missingPodText(podKey(name, options.namespace), objects, place)
        : missingText(kind, name, objects, place),
    ])
  }
  if (isDataFormat(options.output)) printData(terminal.stdout, options.output, found)
  else print(terminal.stdout, explanationText(found))
  return 0
}

/** The pure heart of the command; undefined when the object is not there. */
export function explain(
  kind: ExplainedKind,
  name: string,
  objects: SimulationObjects,
  options: Partial<Policies> & {
    readonly namespace: string
    readonly now: number
    readonly region: string
    readonly featureGates: Readonly<Record<string, boolean>>
    readonly ignoreDraRequests?: boolean
    readonly isLive?: boolean
  },
): Explanation | undefined {
  const { now, featureGates } = options
  const { instanceTypes, vocabulary } = resolveInstanceTypes(objects, options.region)
  const settings = {
    ...defaultSettings,
    vocabulary,
    preferencePolicy: options.preferencePolicy ?? defaultSettings.preferencePolicy,
    minValuesPolicy: options.minValuesPolicy ?? defaultSettings.minValuesPolicy,
    ignoreDRA: options.ignoreDraRequests ?? defaultSettings.ignoreDRA,
    reservationLabel: featureGates['ReservedCapacity'] === false ? '' : defaultSettings.reservationLabel,
    nodePoolHash,
  }
  const plain = buildWorld(objects, { now, instanceTypes })
  const priced = featureGates['NodeOverlay'] === true ? overlaid(plain, objects, vocabulary) : plain
  const nodes = priced.nodes.map((node) => withConditions(node, priced, objects))
  const snapshot = asOperatorSees({ ...priced, nodes })
  const { nodeClasses, rolloutPolicies: policies, pods } = objects
  const held = featureGates['CapacityBuffer'] === true ? heldRoomIn(snapshot, settings, objects) : noHeldRoom
  const question = { snapshot, settings, gates: featureGates, held, nodeClasses, policies, pods }
  switch (kind) {
    case 'pod':
      return explainPod(podKey(name, options.namespace), snapshot, pods, settings)
    case 'node':
      return explainNode(name, question)
    case 'nodeclaim':
      return explainNodeClaim(name, objects.nodeClaims, question)
    case 'nodepool':
      return (
        explainForeignPool(name, objects.nodePools) ??
        explainNodePool(name, { ...question, isUntold: options.isLive === true && isUntold(name, objects) })
      )
  }
}

function isUntold(name: string, { nodePools }: SimulationObjects): boolean {
  const pool = nodePools.find(({ metadata }) => metadata.name === name)
  return pool !== undefined && conditionOf(pool, 'Ready') === undefined
}

/** What of the cluster the answer is without. */
function unreadFact(leftOut: readonly string[]): Fact {
  return { name: 'not read', value: `${leftOut.join(', ')}: may not be listed, so the answer is as if there were none` }
}

/** @throws UsageError */
function podKey(text: string, namespace: string): PodKey {
  const [first = '', second, ...more] = text.split('/')
  if (first === '' || second === '' || more.length > 0)
    throw new UsageError(`${text}: expected NAME or NAMESPACE/NAME of a pod`)
  return second === undefined ? { namespace, name: first } : { namespace: first, name: second }
}
