import { expect, test } from 'vitest'
import type { PodDisruptionBudget } from '../../../src/api/kubernetes.ts'
import { byNamespace, evictionAnswer, evictionVerdict, isFullyBlocked } from '../../../src/disruption/pdb.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import { aBudget, aRunningPod } from '../../support/disruption-builders.ts'

const everything = {}
const blocked = (specs: readonly PodDisruptionBudget['spec'][], ready: PodInfo['ready'] = 'True') =>
  isFullyBlocked(
    aRunningPod({ labels: { app: 'a' }, ready }),
    byNamespace(specs.map((spec, index) => aBudget(`pdb-${index}`, { selector: everything, ...spec }, 5))),
  )

const cases: Record<string, [specs: readonly PodDisruptionBudget['spec'][], want: boolean]> = {
  'that lets none be missing': [[{ maxUnavailable: 0 }], true],
  'that lets no percent be missing': [[{ maxUnavailable: '0%' }], true],
  'that wants all': [[{ minAvailable: '100%' }], true],
  'that lets one be missing': [[{ maxUnavailable: 1 }], false],
  'that wants most': [[{ minAvailable: '99%' }], false],
  'that wants so many, even if there are no more': [[{ minAvailable: 1 }], false],
  'among two': [[{ maxUnavailable: 1 }, { maxUnavailable: 1 }], true],
  'for others': [[{ maxUnavailable: 0, selector: { matchLabels: { app: 'b' } } }], false],
}
test.each(Object.entries(cases))('whether a budget %s holds its pods for ever', (_name, [specs, want]) => {
  expect(blocked(specs)).toBe(want)
})

test('one that lets unhealthy pods go holds none that is not ready', () => {
  const spec = { maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' as const }
  expect([blocked([spec], 'False'), blocked([spec], 'Unknown'), blocked([spec], 'True')]).toEqual([false, true, true])
})

test('a budget that nobody has counted for yet lets no pod go', () => {
  const { status: _, ...uncounted } = aBudget('pdb', { selector: everything, maxUnavailable: 1 }, 5)
  expect(evictionVerdict(aRunningPod(), byNamespace([uncounted])).kind).toBe('blocked')
})

test('a budget without a selector holds nobody, one with an empty selector everybody', () => {
  const { selector: _, ...none } = aBudget('pdb', { maxUnavailable: 0 }, 0).spec
  const verdict = (spec: PodDisruptionBudget['spec']) =>
    evictionVerdict(aRunningPod(), byNamespace([aBudget('pdb', spec, 0)])).kind
  expect([verdict(none), verdict({ ...none, selector: everything })]).toEqual(['allowed', 'blocked'])
})

test('a pod is held against the budgets that may match it, not against all of its namespace; pods with the same labels once', () => {
  const deployments = 100
  let asked = 0
  const budgets = Array.from({ length: deployments }, (_, index): PodDisruptionBudget => {
    const budget = aBudget(`pdb-${index}`, { maxUnavailable: 1 }, 0)
    const selector = { matchLabels: { app: `app-${index}` } }
    const spec = {
      maxUnavailable: 1,
      get selector() {
        asked += 1
        return selector
      },
    }
    return { ...budget, spec }
  })
  const index = byNamespace(budgets)
  const labels = Array.from({ length: deployments }, (_, of) => ({ app: `app-${of}` }))
  asked = 0
  for (const [of, ofPod] of [...labels.entries(), ...labels.entries()]) {
    expect(evictionVerdict(aRunningPod({ labels: ofPod }), index)).toEqual({
      kind: 'blocked',
      budget: `default/pdb-${of}`,
    })
  }
  expect(asked).toBeLessThanOrEqual(deployments)
})

test('several budgets that match a pod are named in the order of the list, whatever their selectors say', () => {
  const budgets = [
    aBudget('in', { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] } }, 1),
    aBudget('all', { selector: everything }, 1),
    aBudget('other', { selector: { matchLabels: { app: 'b' } } }, 1),
    aBudget('none', {}, 1),
    aBudget('own', { selector: { matchLabels: { app: 'a', tier: 'web' } } }, 1),
    aBudget('exists', { selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } }, 1),
  ]
  expect(evictionVerdict(aRunningPod({ labels: { tier: 'web', app: 'a' } }), byNamespace(budgets))).toEqual({
    kind: 'multiple',
    budgets: ['default/in', 'default/all', 'default/own', 'default/exists'],
  })
})

const answers: Record<
  string,
  [pod: Partial<PodInfo>, spec: PodDisruptionBudget['spec'], healthy: readonly [number, number], want: string]
> = {
  'a pod that is ready': [{ ready: 'True' }, {}, [2, 2], 'blocked'],
  'one that is not, while enough others are': [{ ready: 'False' }, {}, [2, 2], 'allowed'],
  'one that has said nothing yet, while enough others are': [{ ready: undefined }, {}, [2, 2], 'allowed'],
  'one that is not, while too few are': [{ ready: 'False' }, {}, [1, 2], 'blocked'],
  'one that is not, of a budget that wants none': [{ ready: 'False' }, {}, [0, 0], 'blocked'],
  'one that is not, where such pods always go': [
    { ready: 'Unknown' },
    { unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    [1, 2],
    'allowed',
  ],
  'one that has not started': [{ phase: 'Pending' }, {}, [1, 2], 'allowed'],
}
test.each(Object.entries(answers))('what the eviction API answers for %s', (_name, [pod, spec, healthy, want]) => {
  const budget = aBudget('pdb', { selector: everything, ...spec }, 0)
  const [currentHealthy, desiredHealthy] = healthy
  const status = { disruptionsAllowed: 0, expectedPods: 2, currentHealthy, desiredHealthy }
  expect(evictionAnswer(aRunningPod(pod), byNamespace([{ ...budget, status }])).kind).toBe(want)
})

test('the eviction API refuses a pod of several budgets once it has started, ready or not', () => {
  const budgets = byNamespace(['a', 'b'].map((name) => aBudget(name, { selector: everything }, 1)))
  const kinds = [aRunningPod({ phase: 'Pending' }), aRunningPod({ ready: 'False' })].map(
    (pod) => evictionAnswer(pod, budgets).kind,
  )
  expect(kinds).toEqual(['allowed', 'multiple'])
})
