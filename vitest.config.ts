import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** Minutes of real time in two worlds each, which other work on the machine makes differ: `npm run test:karpenter`, alone. */
const alone = [
  'test/peers/karpenter/below-zero.test.ts',
  'test/peers/karpenter/differing-decisions.test.ts',
  'test/peers/karpenter/differing-fleets.test.ts',
  'test/peers/karpenter/differing-processes.test.ts',
  'test/peers/karpenter/disruption.test.ts',
  'test/peers/karpenter/foreign-things.test.ts',
  'test/peers/karpenter/lifecycle.test.ts',
  'test/peers/karpenter/misread-objects.test.ts',
  'test/peers/karpenter/random-decisions.test.ts',
  'test/peers/karpenter/zone-without-machines.test.ts',
]
/** Flux takes seven minutes of processor time to build. */
const flux = 'test/peers/flux/*.test.ts'
const patience = {
  // Longer than any of them is patient.
  testTimeout: 600_000,
  hookTimeout: 1_800_000,
}

/**
 * unit, scenarios, simulation and days need nothing but Node, and their files share processes: what is compiled once serves all files of a worker.
 * peers start real programs (kube-apiserver, kubectl, moto) and say when one is missing.
 */
export default defineConfig({
  test: {
    // A run has the machine to itself; left alone, vitest keeps one core free.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 20_000,
          isolate: false,
        },
      },
      {
        test: {
          name: 'scenarios',
          include: ['test/scenarios/**/*.test.ts'],
          testTimeout: 60_000,
          isolate: false,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          testTimeout: 60_000,
          isolate: false,
          hookTimeout: 60_000,
          provide: { foundSeeds: 'half days' },
        },
      },
      {
        test: {
          name: 'days',
          include: ['test/simulation/found-seeds/*.test.ts'],
          isolate: false,
          provide: { foundSeeds: 'whole days' },
        },
      },
      {
        test: {
          name: 'peers',
          include: ['test/peers/**/*.test.ts'],
          exclude: [...alone, flux],
          ...patience,
          // Programs wait for one another for half of the time or more, so four suites at a time fill two cores.
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'karpenter',
          include: alone,
          ...patience,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'flux',
          include: [flux],
          ...patience,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})
