import type { EventRecorder } from '../../kube/recorder.ts'
import type { VainLaunch, VainLaunches } from '../launches/vain-launches.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { recordVain } from './record-results.ts'
import { solverWithRoom } from './solver-with-room.ts'
import type { ProvisioningSolveRequest, SolveOutcome, Solver } from './solver-port.ts'

/** Remembers which nodes did not take the pods that they were launched for. */
export type VainLaunchMemory = Pick<
  VainLaunches,
  'observe' | 'judge' | 'judgeStandIns' | 'held' | 'launched' | 'shortfalls'
>

export interface SolveWithoutVainDeps {
  readonly solver: Solver
  readonly vain: VainLaunchMemory
  readonly recorder: EventRecorder
  readonly metrics: ControllerMetrics
}

/** A solve may show that a node was launched in vain; then it is made again, so that no further one follows it. */
export async function solveWithoutVain(
  deps: SolveWithoutVainDeps,
  request: Omit<ProvisioningSolveRequest, 'held'>,
  signal: AbortSignal,
): Promise<SolveOutcome> {
  const { vain } = deps
  const all = [...request.pending, ...request.displaced, ...request.virtual]
  const held = vain.held(all)
  const shortfalls = vain.shortfalls(all)
  const first = await solverWithRoom(deps.solver, all, shortfalls).solve({ ...request, held }, signal)
  const found = first.kind === 'noPools' ? [] : judged(vain, request, first)
  recordVain(deps, found)
  const heldNow = found.length === 0 ? held : vain.held(all)
  deps.metrics.podsHeldFromLaunching.set({}, heldNow.size)
  const shortfallsNow = found.length === 0 ? shortfalls : vain.shortfalls(all)
  const isSmaller = [...shortfallsNow].some(([uid, shortfall]) => shortfalls.get(uid) !== shortfall)
  if (heldNow.size === held.size && !isSmaller) return first
  return solverWithRoom(deps.solver, all, shortfallsNow).solve({ ...request, held: heldNow }, signal)
}

/** By those that would need a node that is not there. */
function judged(
  vain: Pick<VainLaunchMemory, 'judge' | 'judgeStandIns'>,
  request: Pick<ProvisioningSolveRequest, 'snapshot' | 'promised'>,
  { claims, existing, failed }: Extract<SolveOutcome, { kind: 'solved' }>,
): readonly VainLaunch[] {
  const refused = failed.filter(({ kind }) => kind === 'unschedulable').map(({ pod }) => pod)
  const elsewhere = [...claims.flatMap(({ pods }) => pods), ...refused]
  const standIns = elsewhere.filter(({ virtualBuffer }) => virtualBuffer !== undefined)
  return [
    ...vain.judge(
      request,
      elsewhere.filter(({ virtualBuffer }) => virtualBuffer === undefined),
    ),
    ...vain.judgeStandIns(request.snapshot, { elsewhere: standIns, existing }),
  ]
}
