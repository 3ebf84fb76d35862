import { expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import { expiryTime } from '../../../../src/rollout/engine/index.ts'

const hour = 3_600_000
const noon = Date.parse('2026-05-04T12:00:00Z')
const evening = Date.parse('2026-05-04T20:00:00Z')
const nightly: RolloutPolicySpec = {
  nodePoolSelector: {},
  covers: ['Drift', 'Expiration'],
  windows: [{ schedule: '0 20 * * *', duration: '1h' }],
}

const cases: Record<string, { spec: RolloutPolicySpec; grace?: number; now: number; want: number }> = {
  'a policy that covers expiration defers it to the next window': { spec: nightly, now: noon, want: evening },
  'inside a window it is not deferred': { spec: nightly, now: evening + 1, want: noon },
  'one that does not cover it does not': { spec: { ...nightly, covers: ['Drift'] }, now: noon, want: noon },
  'one that says nothing does not': {
    spec: { nodePoolSelector: {}, windows: nightly.windows ?? [] },
    now: noon,
    want: noon,
  },
  'one that only observes does not': { spec: { ...nightly, mode: 'Observe' }, now: noon, want: noon },
  'by no more than the termination grace period': { spec: nightly, grace: 2 * hour, now: noon, want: noon + 2 * hour },
  'windows that never open defer nothing': {
    spec: { ...nightly, windows: [{ schedule: '0 0 31 2 *', duration: '1h' }] },
    now: noon,
    want: noon,
  },
}

test.each(Object.entries(cases))('%s', (_name, { spec, grace, now, want }) => {
  expect(expiryTime(spec, { dueAt: noon, terminationGracePeriodMs: grace }, now)).toBe(want)
})
