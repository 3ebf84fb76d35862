import { expect, test } from 'vitest'
import type { RolloutPolicy, RolloutPolicyStatus } from '../../../../src/api/karpenter.ts'
import { policyConditions } from '../../../../src/controllers/rollout/conditions.ts'
import type { RolloutStepResult } from '../../../../src/rollout/engine/index.ts'
import { plainPolicy } from '../../../support/rollout-fleet.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const underWay = {
  phase: 'Soaking',
  reason: 'Soaking',
  message: 'it soaks',
  startTime: '2026-03-01T11:00:00Z',
} as const
const failure = { reason: 'NodesFailed', message: 'it failed', time: '2026-03-01T11:30:00Z' }
const stalled = [{ reason: 'Halted', message: 'it failed' }]
const unreadable: RolloutPolicy = {
  ...plainPolicy,
  metadata: { ...plainPolicy.metadata, annotations: { 'joinery.dev/pause-until': 'tomorrow' } },
}

interface Case {
  readonly status: RolloutPolicyStatus
  readonly stalled?: RolloutStepResult['stalled']
  readonly policy?: RolloutPolicy
  /** `Type=Status Reason` of Reconciling, Stalled and Conflicting. */
  readonly want: readonly string[]
}

const cases: Record<string, Case> = {
  'with nothing to do': {
    status: { phase: 'Idle', reason: 'UpToDate', message: 'every node is up to date' },
    want: ['Reconciling=False UpToDate', 'Stalled=False NotStalled', 'Conflicting=False NoOtherPolicy'],
  },
  'until the last soak is over': {
    status: underWay,
    want: ['Reconciling=True Soaking', 'Stalled=False NotStalled', 'Conflicting=False NoOtherPolicy'],
  },
  'whose rollout has failed': {
    status: { ...underWay, phase: 'Halted', reason: 'NodesFailed', failure: { ...failure, state: 'Halted' } },
    stalled,
    want: ['Reconciling=False NodesFailed', 'Stalled=True Halted', 'Conflicting=False NoOtherPolicy'],
  },
  'that takes images back': {
    status: { ...underWay, phase: 'RollingBack', reason: 'NodesFailed', failure: { ...failure, state: 'RollingBack' } },
    want: ['Reconciling=True NodesFailed', 'Stalled=False NotStalled', 'Conflicting=False NoOtherPolicy'],
  },
  'that has kept a rollout for the day on which old nodes may go again': {
    status: { ...underWay, phase: 'Waiting', reason: 'NewNodesOnly' },
    want: ['Reconciling=False NewNodesOnly', 'Stalled=False NotStalled', 'Conflicting=False NoOtherPolicy'],
  },
  'with an annotation that cannot be read, which keeps it from nothing': {
    status: underWay,
    policy: unreadable,
    want: ['Reconciling=True Soaking', 'Stalled=True InvalidAnnotation', 'Conflicting=False NoOtherPolicy'],
  },
  'with such an annotation, which is told after what keeps it': {
    status: underWay,
    stalled: [{ reason: 'MetricUnknown', message: 'status 503' }],
    policy: unreadable,
    want: ['Reconciling=False Soaking', 'Stalled=True MetricUnknown', 'Conflicting=False NoOtherPolicy'],
  },
  'beside an older one': {
    status: { ...underWay, nodePools: [{ name: 'default' }, { name: 'other', governedBy: 'older' }] },
    want: ['Reconciling=True Soaking', 'Stalled=False NotStalled', 'Conflicting=True OlderPolicyGoverns'],
  },
}

test.each(Object.entries(cases))(
  'a policy %s',
  (_name, { status, stalled: causes = [], policy = plainPolicy, want }) => {
    const result = { status, stalled: causes } as unknown as RolloutStepResult
    const told = policyConditions(policy, result, now).map(({ type, status: is, reason }) => `${type}=${is} ${reason}`)
    expect(told).toEqual(expect.arrayContaining([...want, 'Ready=True Ready']))
  },
)
