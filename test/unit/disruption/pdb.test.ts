import { expect, test } from 'vitest'
import type { PodDisruptionBudget } from '../../../src/api/kubernetes.ts'
import { byNamespace, evictionVerdict, isFullyBlocked } from '../../../src/disruption/pdb.ts'
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

test('a budget without a selector holds nobody, one with an empty selector everybody', () => {
  const { selector: _, ...none } = aBudget('pdb', { maxUnavailable: 0 }, 0).spec
  const verdict = (spec: PodDisruptionBudget['spec']) =>
    evictionVerdict(aRunningPod(), byNamespace([aBudget('pdb', spec, 0)])).kind
  expect([verdict(none), verdict({ ...none, selector: everything })]).toEqual(['allowed', 'blocked'])
})
