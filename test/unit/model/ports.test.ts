import { VirtualClock } from '../../../src/embedded/clock.ts'
import { ProcessClock } from '../../../src/embedded/process-clock.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import type { Clock } from '../../../src/model/clock.ts'
import { clockPortContract } from '../../contracts/clock-port.ts'
import { randomPortContract } from '../../contracts/random-port.ts'

const realTime = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

clockPortContract("the system's", async () => ({
  clock: systemClock(),
  pass: realTime,
  stop: async () => undefined,
}))

function virtual(clockOf: (virtual: VirtualClock) => Clock) {
  return async () => {
    const clock = new VirtualClock()
    return {
      clock: clockOf(clock),
      pass: async (ms: number) => {
        await clock.run({ forMs: ms })
      },
      stop: async () => undefined,
    }
  }
}
clockPortContract(
  'virtual',
  virtual((clock) => clock),
)
clockPortContract(
  'of a process that may stand still',
  virtual((clock) => new ProcessClock(clock)),
)

clockPortContract('virtual, at the pace of people', async () => {
  const clock = new VirtualClock()
  const end = new AbortController()
  const pacing = clock.pace(1, end.signal)
  return {
    clock,
    pass: realTime,
    stop: async () => {
      end.abort()
      await pacing
    },
  }
})

randomPortContract("the system's", systemRandom)
randomPortContract('seeded', () => new SeededRandom(1))
