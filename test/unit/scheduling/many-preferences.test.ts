import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WeightedPodAffinityTerm } from '../../../src/api/kubernetes.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import { type Placement, prepare, solve, solveInSlices, type SolveRequest } from '../../../src/scheduling/index.ts'
import { referenceSolve } from '../../reference-scheduler/index.ts'
import { arbitraryWorld } from '../../support/arbitrary-worlds.ts'
import { referenceSummary, summaryOf } from '../../support/placement-summary.ts'
import {
  aPod,
  aSnapshot,
  hostnameKey,
  type PodOptions,
  testVocabulary,
  zoneKey,
} from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

const count = 400
const nowhere = { [zoneKey]: 'z9' }

/** Terms about pods that there are none of, which tell how often somebody looks at them. */
function wishes(topologyKey: string): { readonly terms: WeightedPodAffinityTerm[]; readonly looks: () => number } {
  let looked = 0
  const terms = Array.from({ length: count }, (_, index) => ({
    weight: 1 + (index % 100),
    podAffinityTerm: {
      topologyKey,
      get labelSelector() {
        looked += 1
        return { matchLabels: { app: `nobody-${index}` } }
      },
    },
  }))
  return { terms, looks: () => looked }
}

const near = (terms: WeightedPodAffinityTerm[]): PodOptions => ({
  affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
})
const apart = (terms: WeightedPodAffinityTerm[]): PodOptions => ({
  affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
})

/** Node preferences that nothing has: each is tried, since the next could be met. */
const choosy: PodOptions = {
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: count }, (_, index) => ({
        weight: 1 + (index % 100),
        preference: { matchExpressions: [{ key: `k${index}`, operator: 'Exists' }] },
      })),
    },
  },
}

function solveSliced(
  pods: readonly PodInfo[],
  request: Omit<SolveRequest, 'pods'> = {},
): { readonly placement: Placement; readonly pauses: number } {
  const slices = solveInSlices(prepare(aSnapshot({ pods }), testSettings, pods), { ...request, pods })
  for (let pauses = 0; ; pauses += 1) {
    const step = slices.next()
    if (step.done === true) return { placement: step.value, pauses }
  }
}

describe('looking at what a pod prefers does not grow with the square of it', () => {
  const cases: Record<
    string,
    { readonly key: string; readonly pod: (terms: WeightedPodAffinityTerm[]) => PodOptions }
  > = {
    'to be near pods that there are none of, by host': { key: hostnameKey, pod: near },
    'to be near pods that there are none of, by zone': { key: zoneKey, pod: near },
    'and has no place without it either': {
      key: hostnameKey,
      pod: (terms) => ({ ...near(terms), nodeSelector: nowhere }),
    },
    'to be apart from pods that there are none of, and has no place, by host': {
      key: hostnameKey,
      pod: (terms) => ({ ...apart(terms), nodeSelector: nowhere }),
    },
    'to be apart from pods that there are none of, and has no place, by zone': {
      key: zoneKey,
      pod: (terms) => ({ ...apart(terms), nodeSelector: nowhere }),
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { key, pod }) => {
    const { terms, looks } = wishes(key)
    const pods = [aPod(pod(terms))]
    const { placement } = solveSliced(pods)
    expect(placement.relaxations.length).toBeGreaterThan(0)
    expect(looks()).toBeLessThan(count * 40)
  })
})

test('control is handed back while one pod gives up one thing after the other', () => {
  const { placement, pauses } = solveSliced([aPod(choosy)])
  expect(placement.newNodePlans).toHaveLength(1)
  expect(pauses).toBeGreaterThan(count / 10)
})

test('the deadline holds while one pod gives up one thing after the other', () => {
  let asked = 0
  const isExpired = (): boolean => {
    asked += 1
    return asked > 20
  }
  const { placement } = solveSliced([aPod(choosy)], { isExpired })
  expect(placement).toMatchObject({ timedOut: true, newNodePlans: [], failures: [] })
  expect(placement.unattempted).toHaveLength(1)
})

test('the first things that a pod gives up are told one by one, the others as a number', () => {
  const [quiet, pod] = [aPod(), aPod(choosy)]
  const told = solveSliced([quiet, pod]).placement.relaxations
  expect(new Set(told.map((each) => each.pod))).toEqual(new Set([pod]))
  expect(told).toHaveLength(101)
  expect(told[0]?.reason).toContain('"weight":100')
  expect(told.at(-1)?.reason).toBe(`and ${count - 100} more`)
})

const wish = fc.record({
  kind: fc.constantFrom('near', 'apart', 'spread'),
  key: fc.constantFrom(zoneKey, hostnameKey, 'rack'),
  app: fc.constantFrom('a', 'b', 'c', 'nobody', 'nobody else'),
  weight: fc.integer({ min: 1, max: 5 }),
})

for (const preferencePolicy of ['Respect', 'Ignore'] as const) {
  test(`under ${preferencePolicy} pods with many wishes come out as the plain scheduler has them`, () => {
    fc.assert(
      fc.property(arbitraryWorld, fc.array(wish, { minLength: 12, maxLength: 24 }), (world, wanted) => {
        const snapshot = aSnapshot(world)
        const pods = world.pods.map((pod, index) => (index % 2 === 0 ? pod : wishing(pod, wanted)))
        const placement = solve(prepare(snapshot, { ...testSettings, preferencePolicy }, pods), { pods })
        expect(summaryOf(placement)).toEqual(
          referenceSummary(referenceSolve(snapshot, pods, { vocabulary: testVocabulary, preferencePolicy })),
        )
      }),
      { numRuns: 150 },
    )
  })
}

interface Wish {
  readonly kind: string
  readonly key: string
  readonly app: string
  readonly weight: number
}

function wishing(pod: PodInfo, wanted: readonly Wish[]): PodInfo {
  const terms = (kind: string) =>
    wanted
      .filter((each) => each.kind === kind)
      .map(({ key, app, weight }) => ({
        weight,
        podAffinityTerm: { topologyKey: key, labelSelector: { matchLabels: { app } } },
      }))
  const soft = wanted
    .filter(({ kind }) => kind === 'spread')
    .map(({ key, app, weight }) => ({
      maxSkew: weight,
      topologyKey: key,
      whenUnsatisfiable: 'ScheduleAnyway' as const,
      labelSelector: { matchLabels: { app } },
    }))
  const { podAffinity, podAntiAffinity, nodeAffinity } = pod.affinity ?? {}
  return {
    ...pod,
    affinity: {
      ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
      podAffinity: { ...podAffinity, preferredDuringSchedulingIgnoredDuringExecution: terms('near') },
      podAntiAffinity: { ...podAntiAffinity, preferredDuringSchedulingIgnoredDuringExecution: terms('apart') },
    },
    topologySpreadConstraints: [...pod.topologySpreadConstraints, ...soft],
  }
}
