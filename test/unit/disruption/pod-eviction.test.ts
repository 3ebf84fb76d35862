import { expect, test } from 'vitest'
import { byNamespace } from '../../../src/disruption/pdb.ts'
import { isCurrentlyReschedulable, isEvictable, isReschedulable } from '../../../src/disruption/pod-eviction.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import {
  aBudget,
  aRunningPod,
  daemonSetOwner,
  nodeOwner,
  noon,
  statefulSetOwner,
} from '../../support/disruption-builders.ts'

const tolerations: PodInfo['tolerations'] = [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }]
const never = byNamespace([aBudget('pdb', { selector: {}, maxUnavailable: 0 }, 0)])

/** Whether it has to run elsewhere, whether the eviction API is asked, and whether a place is prepared under a budget that lets nobody go. */
const cases: Record<string, [Partial<PodInfo>, moves: boolean, evicted: boolean, prepared: boolean]> = {
  'an ordinary pod': [{}, true, true, false],
  'one that tolerates the taint': [{ tolerations }, true, false, true],
  'a protected one': [{ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }, true, false, false],
  'a daemon': [{ ownerReferences: daemonSetOwner }, false, true, false],
  'a static one': [{ ownerReferences: nodeOwner }, false, false, false],
  'one that has ended': [{ phase: 'Succeeded' }, false, false, false],
  'one that is going': [{ deletedAt: noon }, false, false, false],
  'one of a stateful set that is going, and must be gone before it is there again': [
    { deletedAt: noon, ownerReferences: statefulSetOwner },
    true,
    false,
    true,
  ],
  'one of a stateful set that is going and has ended': [
    { deletedAt: noon, phase: 'Failed', ownerReferences: statefulSetOwner },
    false,
    false,
    false,
  ],
}

test.each(Object.entries(cases))('%s', (_name, [more, moves, evicted, prepared]) => {
  const pod = aRunningPod(more)
  expect([isReschedulable(pod), isEvictable(pod, noon), isCurrentlyReschedulable(pod, never, noon)]).toEqual([
    moves,
    evicted,
    prepared,
  ])
})
