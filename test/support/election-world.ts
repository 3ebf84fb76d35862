import type { Clock } from '../../src/model/clock.ts'
import { VirtualClock } from '../../src/embedded/clock.ts'
import { leases } from '../../src/kube/kinds.ts'
import { acquireLeadership, type Leadership, type LeaderElectionOptions } from '../../src/kube/leader-election.ts'
import { FakeKubeClient } from './fake-kube-client.ts'
import { fixedRandom } from './fixed-random.ts'
import { recordingLogger } from './recording-logger.ts'

/** An API server, and processes that try to lead. */
export function electionWorld() {
  const clock = new VirtualClock()
  const client = new FakeKubeClient()
  const log = recordingLogger()
  const leaders = new Map<string, Leadership>()
  const stop = new AbortController()
  const candidate = (identity: string, options: Partial<LeaderElectionOptions> = {}): void => {
    const where = { name: 'karpenter-leader-election', namespace: 'kube-system' }
    void acquireLeadership(
      { client, clock, random: fixedRandom(), log, ...where, identity, ...options },
      stop.signal,
    ).then(
      (leadership) => leaders.set(identity, leadership),
      () => undefined,
    )
  }
  const lease = () => client.get(leases, { namespace: 'kube-system', name: 'karpenter-leader-election' })
  return { clock, client, log, leaders, candidate, lease, stop }
}

/** Another connection to the same server. */
export function connectionTo(client: FakeKubeClient): FakeKubeClient {
  const connection = new FakeKubeClient()
  connection.get = client.get.bind(client)
  connection.create = client.create.bind(client)
  connection.update = client.update.bind(client)
  connection.list = client.list.bind(client)
  return connection
}

/** The clock of a process that stands still whenever `stopUntil` lies ahead: what is due before goes off then. */
export function stoppableClock(clock: VirtualClock): { readonly clock: Clock; stopUntil: number } {
  const state = { stopUntil: 0 }
  const schedule: Clock['schedule'] = (ms, run) => {
    let timer = clock.schedule(ms, () => {
      const leftMs = state.stopUntil - clock.monotonicMs()
      if (leftMs <= 0) run()
      else timer = clock.schedule(leftMs, run)
    })
    return { cancel: () => timer.cancel() }
  }
  return Object.assign(state, {
    clock: {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      schedule,
      sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms, signal),
    },
  })
}
