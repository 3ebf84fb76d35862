import { Command, InvalidArgumentError, Option } from 'commander'
import { nodePoolHash } from '../../api/hash/index.ts'
import { labelCapacityReservationID } from '../../api/labels.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { isProvisionable, type PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { gates as gateOption } from '../../operator/option-kinds.ts'
import { coreGates } from '../../operator/option-table.ts'
import { podsOfDeletingNodes } from '../../controllers/provisioning/provisioner.ts'
import { parseInstanceTypeCatalog } from '../../api/validators.ts'
import { defaultSettings, prepare, type SchedulingSettings, solve } from '../../scheduling/index.ts'
import { rejectionOf } from '../../scheduling/pod-validation.ts'
import { type ExitCode, print, printJSON, ProblemsError, type Terminal, UsageError } from '../command-line.ts'
import { InputError, type ManifestDocument, type PartialObject, readDocuments } from '../input/documents.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { parsePath } from '../input/path.ts'
import type { CommandFactory } from '../main.ts'
import { existingNodes, plannedNode, type SimulationAnswer, unschedulablePods } from './answer.ts'
import { virtualBufferPods } from './buffers.ts'
import { decideDisruption } from './disrupt.ts'
import { expandWorkloads } from './expand.ts'
import { resolveInstanceTypes } from './instance-types.ts'
import { isSimulationKind, type SimulationObjects, sortObjects } from './objects.ts'
import { overlaid } from './overlays.ts'
import { coreShapeProblems, problemLine, type ShapeProblem } from './shape.ts'
import { answerText } from './view.ts'
import { buildWorld, newestTimestamp } from './world.ts'

export interface SimulateOptions {
  readonly region: string
  readonly now?: number
  readonly expand: boolean
  readonly disrupt: boolean
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly preferencePolicy: 'Respect' | 'Ignore'
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
  readonly ignoreDraRequests: boolean
}

export const simulateCommand: CommandFactory = (terminal, exit) =>
  new Command('simulate')
    .description('schedule, and with --disrupt disrupt, a given cluster state; print the decisions')
    .argument('[file...]', 'files or folders of manifests or snapshots, `-` for standard input')
    .addOption(
      new Option('-f, --filename <file>', 'the same as an argument; may be repeated')
        .argParser(collect)
        .default([], 'none'),
    )
    .option(
      '--region <name>',
      'region of the built-in catalogue, where the input has no InstanceTypeCatalog',
      'us-east-1',
    )
    .option('--now <time>', 'RFC 3339; default: the newest timestamp of the input', parseTime)
    .option('--expand', 'pods that Deployments, ReplicaSets and StatefulSets would still create wait, too', false)
    .option('--disrupt', 'add what one pass of the disruption loop would start', false)
    .addOption(
      new Option('--feature-gates <list>', 'gates to switch on or off: A=true,B=false')
        .argParser(parseGates)
        .default(coreGates, gateNames(coreGates)),
    )
    .addOption(
      new Option('--preference-policy <policy>', 'what preferences count for')
        .choices(['Respect', 'Ignore'])
        .default('Respect'),
    )
    .addOption(
      new Option('--min-values-policy <policy>', 'what happens when minValues cannot be met')
        .choices(['Strict', 'BestEffort'])
        .default('Strict'),
    )
    .option('--ignore-dra-requests <bool>', 'refuse pods with resource claims', parseBool, true)
    .addOption(new Option('--packing <mode>', "greedy: Karpenter's choices").choices(['greedy']).default('greedy'))
    .addOption(new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action(async (files: string[], options: SimulateOptions & { filename: string[]; output: 'text' | 'json' }) => {
      exit(await run([...files, ...options.filename], options, terminal))
    })

async function run(
  files: readonly string[],
  options: SimulateOptions & { readonly output: 'text' | 'json' },
  terminal: Terminal,
): Promise<ExitCode> {
  if (files.length === 0) throw new UsageError('nothing to simulate: name a file, a folder, or - for standard input')
  const answer = simulate(await readObjects(files, terminal), options)
  if (options.output === 'json') printJSON(terminal.stdout, answer)
  else print(terminal.stdout, answerText(answer))
  return 0
}

/** Everything of the input that a simulation reads. All documents are judged before anything is said about one. */
export async function readObjects(files: readonly string[], terminal: Terminal): Promise<SimulationObjects> {
  let documents: ManifestDocument[]
  try {
    documents = await readDocuments(files, { cwd: terminal.cwd, stdin: terminal.stdin })
  } catch (error) {
    if (error instanceof InputError) throw new ProblemsError([error.message])
    throw error
  }
  const problems = documents.flatMap(problemsOf)
  if (problems.length > 0) throw new ProblemsError(problems)
  return sortObjects(documents.map(withDefaults))
}

/** The pure heart of the command: what would be decided about these objects. */
export function simulate(given: SimulationObjects, options: SimulateOptions): SimulationAnswer {
  const objects = options.expand ? expandWorkloads(given) : given
  const { instanceTypes, vocabulary } = resolveInstanceTypes(objects, options.region)
  const { featureGates } = options
  const settings: SchedulingSettings = {
    ...defaultSettings,
    vocabulary,
    preferencePolicy: options.preferencePolicy,
    minValuesPolicy: options.minValuesPolicy,
    ignoreDRA: options.ignoreDraRequests,
    reservationLabel: featureGates['ReservedCapacity'] === false ? '' : labelCapacityReservationID,
    nodePoolHash,
  }
  const now = options.now ?? newestTimestamp(objects)
  const plain = buildWorld(objects, { now, instanceTypes })
  const snapshot = featureGates['NodeOverlay'] === true ? overlaid(plain, objects, vocabulary) : plain
  const virtual = featureGates['CapacityBuffer'] === true ? virtualBufferPods(objects, now) : []
  const { accepted, rejected } = validated(snapshot, settings)
  const pods = [...accepted, ...virtual, ...podsOfDeletingNodes(snapshot)]
  const context = prepare(snapshot, settings, pods)
  const placement = solve(context, {
    pods,
    reservedMode: featureGates['ReservedCapacity'] === false ? 'off' : 'strict',
  })
  const noPools = context.pools.length === 0
  return {
    nodeClaims: noPools ? [] : placement.newNodePlans.map((plan) => plannedNode(plan, vocabulary)),
    existing: noPools ? [] : existingNodes(placement),
    unschedulable: noPools
      ? unschedulablePods(nothingPlaced, [
          ...rejected,
          ...pods.map((pod) => ({ pod, text: 'no dynamic nodepools found' })),
        ])
      : unschedulablePods(placement, rejected),
    ...(options.disrupt ? { disruption: decideDisruption(snapshot, objects, { settings, gates: featureGates }) } : {}),
  }
}

const nothingPlaced: Parameters<typeof unschedulablePods>[0] = {
  newNodePlans: [],
  existing: [],
  failures: [],
  deferred: [],
  unattempted: [],
  timedOut: false,
  relaxations: [],
  filteredPools: [],
  unresolvedPools: [],
}

function validated(snapshot: Snapshot, { vocabulary }: SchedulingSettings) {
  const accepted: PodInfo[] = []
  const rejected: { readonly pod: PodInfo; readonly text: string }[] = []
  for (const pod of snapshot.unboundPods.filter(isProvisionable)) {
    const rejection = rejectionOf(pod, { volumes: snapshot.volumes, vocabulary })
    if (rejection === undefined) accepted.push(pod)
    else rejected.push({ pod, text: rejection.text })
  }
  return { accepted, rejected }
}

/** One line per problem. */
function problemsOf(document: ManifestDocument): readonly string[] {
  const { content, file } = document
  if (content.kind === 'unreadable') {
    return content.problems.map(({ line, column, message }) => `${file}:${line}:${column} /: ${message}`)
  }
  const admitted = admitOwnKind(content.object)
  if (admitted !== undefined) {
    // `<nil>` only says that the rules were not reached, which goes without saying here.
    return admitted.errors
      .filter(({ path }) => path !== '<nil>')
      .map(({ path, body }) => problemLine(document, { path: parsePath(path), message: body }))
  }
  if (!isSimulationKind(content.object)) return []
  return [...coreShapeProblems(content.object), ...catalogueProblems(content.object)].map((problem) =>
    problemLine(document, problem),
  )
}

function catalogueProblems(object: PartialObject): readonly ShapeProblem[] {
  if (object.kind !== 'InstanceTypeCatalog') return []
  const parsed = parseInstanceTypeCatalog(object)
  if (parsed.kind === 'ok') return []
  return parsed.errors.map(({ path, message }) => ({
    path: path
      .split('/')
      .slice(1)
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    message,
  }))
}

function withDefaults(document: ManifestDocument): ManifestDocument {
  if (document.content.kind !== 'object') return document
  const admitted = admitOwnKind(document.content.object)
  if (admitted === undefined) return document
  const object = admitted.object as typeof document.content.object
  return { ...document, content: { kind: 'object', object } }
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

function gateNames(gates: Readonly<Record<string, boolean>>): string {
  return Object.entries(gates)
    .map(([name, on]) => `${name}=${on}`)
    .join(',')
}

function parseBool(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false')
  return text === 'true'
}

function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}
