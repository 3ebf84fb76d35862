import { Command } from 'commander'
import { nodePoolHash } from '../../api/hash/index.ts'
import { labelCapacityReservationID } from '../../api/labels.ts'
import { heldRoomOf } from '../../disruption/held-room.ts'
import { runToEnd } from '../../model/sliced.ts'
import { podsOfDeletingNodes } from '../../disruption/what-if.ts'
import {
  defaultSettings,
  lowerBound,
  packedInSlices,
  type Placement,
  prepare,
  priceOf,
  type SchedulingSettings,
  type SolveContext,
  solve,
} from '../../scheduling/index.ts'
import { type ExitCode, print, type Terminal, UsageError } from '../command-line.ts'
import { countText } from '../count-text.ts'
import { type FeatureGates, gatesInForce, operatorGatesOption } from '../feature-gates.ts'
import { filenameOption, parseBool, parseTime } from '../input/option-values.ts'
import type { CommandFactory } from '../main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from '../output-format.ts'
import {
  minValuesPolicyOption,
  packingOf,
  packingOption,
  preferencePolicyOption,
  type SchedulingOptions,
} from '../scheduling-options.ts'
import { printableText } from '../table.ts'
import { existingNodes, plannedNode, type SimulationAnswer, unschedulablePods } from './answer.ts'
import { virtualBufferPods } from './buffers.ts'
import { decideDisruption } from './disrupt.ts'
import { expandWorkloads } from './expand.ts'
import { resolveInstanceTypes } from './instance-types.ts'
import { foreignPools, leftOutPools } from './left-out-pools.ts'
import type { SimulationObjects } from './objects.ts'
import { overlaid } from './overlays.ts'
import { readObjects } from './read-objects.ts'
import { chosenRegion } from './region.ts'
import { withoutBarredPools } from './shown-breaker.ts'
import { asOperatorSees } from './under-way.ts'
import { answerText } from './view.ts'
import { waitingPods } from './waiting-pods.ts'
import { buildWorld, newestTimestamp } from './world.ts'

export interface SimulateOptions extends SchedulingOptions {
  readonly region: string
  readonly now?: number
  readonly expand: boolean
  readonly disrupt: boolean
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly ignoreDraRequests: boolean
}

interface CommandOptions extends Omit<SimulateOptions, 'region' | 'featureGates'> {
  readonly featureGates?: FeatureGates
  readonly region?: string
  readonly output: 'text' | DataFormat
}

export const simulateCommand: CommandFactory = (terminal, exit) =>
  new Command('simulate')
    .description('schedule, and with --disrupt disrupt, a given cluster state; print the decisions')
    .argument('[file...]', 'files or folders of manifests or snapshots, `-` for standard input')
    .addOption(filenameOption())
    .option('--region <name>', "region of the built-in catalogue; default: the nodes', else us-east-1")
    .option('--now <time>', 'RFC 3339; default: the newest timestamp of the input', parseTime)
    .option('--expand', 'pods that Deployments, ReplicaSets and StatefulSets would still create wait, too', false)
    .option('--disrupt', 'add what one pass of the disruption loop would start', false)
    .addOption(operatorGatesOption())
    .addOption(preferencePolicyOption())
    .addOption(minValuesPolicyOption())
    .option('--ignore-dra-requests <bool>', 'refuse pods with resource claims', parseBool, true)
    .addOption(packingOption('greedy'))
    .addOption(outputOption(['text', 'json', 'yaml']))
    .action(async (files: string[], options: CommandOptions & { readonly filename: string[] }) => {
      exit(await run([...files, ...options.filename], options, terminal))
    })

async function run(files: readonly string[], options: CommandOptions, terminal: Terminal): Promise<ExitCode> {
  if (files.length === 0) throw new UsageError('nothing to simulate: name a file, a folder, or - for standard input')
  const objects = await readObjects(files, terminal)
  const featureGates = gatesInForce(options.featureGates, objects, terminal)
  const region = chosenRegion(options.region, objects, terminal)
  for (const text of [...foreignPools(objects.nodePools), ...leftOutPools(objects)])
    print(terminal.stderr, printableText(`warning: ${text}`))
  const untold = options.expand || objects.pods.length > 0 ? 0 : expandWorkloads(objects).pods.length
  if (untold > 0) {
    const message = `none of the ${countText(untold, 'pod')} that workloads of the input would create waits: see --expand`
    print(terminal.stderr, `warning: ${message}`)
  }
  const answer = simulate(objects, { ...options, featureGates, region })
  if (isDataFormat(options.output)) printData(terminal.stdout, options.output, answer)
  else print(terminal.stdout, answerText(answer))
  return 0
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
  const priced = featureGates['NodeOverlay'] === true ? overlaid(plain, objects, vocabulary) : plain
  const snapshot = asOperatorSees(priced)
  const virtual = featureGates['CapacityBuffer'] === true ? virtualBufferPods(objects) : []
  const { accepted, rejected } = waitingPods(snapshot, settings)
  const pods = [...accepted, ...virtual, ...podsOfDeletingNodes(snapshot)]
  const context = prepare(withoutBarredPools(snapshot), settings, pods)
  const request = { pods, reservedMode: featureGates['ReservedCapacity'] === false ? 'off' : 'strict' } as const
  const greedy = solve(context, request)
  const placement = runToEnd(packedInSlices(context, request, greedy, packingOf(options.packing)))
  const noPools = context.pools.length === 0
  const cost = noPools ? undefined : costOf(context, placement)
  return {
    nodeClaims: noPools ? [] : placement.newNodePlans.map((plan) => plannedNode(plan, vocabulary)),
    existing: noPools ? [] : existingNodes(placement),
    unschedulable: noPools
      ? unschedulablePods(nothingPlaced, [
          ...rejected,
          ...pods.map((pod) => ({ pod, text: 'no dynamic nodepools found' })),
        ])
      : unschedulablePods(placement, rejected),
    ...(cost === undefined ? {} : { cost }),
    ...(options.disrupt
      ? {
          disruption: decideDisruption(snapshot, objects, {
            settings,
            gates: featureGates,
            held: heldRoomOf(virtual, greedy),
          }),
        }
      : {}),
  }
}

function costOf(context: SolveContext, placement: Placement): SimulationAnswer['cost'] {
  const pricePerHour = placement.newNodePlans.length === 0 ? undefined : priceOf(placement)
  if (pricePerHour === undefined) return undefined
  const bound = lowerBound(
    context,
    placement.newNodePlans.flatMap((plan) => plan.pods),
  ).price
  return { pricePerHour, lowerBound: Math.round(bound * 1e5) / 1e5 }
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
