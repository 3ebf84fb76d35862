import { expect, test } from 'vitest'
import {
  type ExplainCase,
  checkExplained,
  deletedAt,
  disrupted,
  disruptedFor,
  drifted,
  eveningPolicy,
  explained,
  machine,
  openBreaker,
  pod,
  pool,
} from './world.ts'

const aDriftedNode = machine('n1', { conditions: drifted }) + pod('web', { cpu: '6', more: 'nodeName: n1' })

const cases: Record<string, ExplainCase> = {
  'a drifted node that a rollout holds': {
    ask: ['node', 'n1'],
    manifests:
      pool({
        status: '{rollout: {policy: careful, phase: AwaitingApproval, message: "waits for approval of 1-2"}}',
        consolidateAfter: 'Never',
      }) +
      machine('n1', { conditions: drifted }) +
      pod('web', { cpu: '6', more: 'nodeName: n1' }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'RolloutHeld', help: /RolloutPolicy/ },
  },
  'a drifted node of a static pool whose limit leaves no room for a replacement': {
    ask: ['node', 'n1'],
    manifests: pool({ replicas: 1, limits: '{nodes: "1"}' }) + machine('n1', { conditions: drifted }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'NodeLimit', help: /limits\.nodes/ },
  },
  'a drifted node of a static pool whose limit leaves room for a replacement': {
    ask: ['node', 'n1'],
    manifests: pool({ replicas: 1, limits: '{nodes: "2"}' }) + machine('n1', { conditions: drifted }),
    summary: 'The node can be disrupted now: Drifted.',
    reason: { about: 'Drifted', outcome: 'allows', code: 'NodeClassDrift' },
  },
  'a drifted node of a static pool that has more nodes than replicas': {
    ask: ['node', 'n1'],
    manifests: pool({ replicas: 1, limits: '{nodes: "4"}' }) + machine('n1', { conditions: drifted }) + machine('n2'),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'ExcessNodes', help: /StaticCapacity/ },
  },
  'a node that lost its label': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1').replaceAll('karpenter.sh/initialized: "true", ', ''),
    summary: 'The node is not disrupted: something holds it.',
    reason: {
      about: 'every reason',
      outcome: 'blocks',
      code: 'NotInitialized',
      help: /label karpenter\.sh\/initialized/,
    },
  },
  'an empty node whose pool is paused': {
    ask: ['node', 'n1'],
    manifests:
      pool({ metadata: '{name: general, annotations: {joinery.dev/pause-until: "2026-01-03T00:00:00Z"}}' }) +
      machine('n1'),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'Paused', help: /pause-until/ },
  },
  'an empty node whose policy lets none go before the evening': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1') + eveningPolicy('Consolidation'),
    summary: 'The node is not disrupted: something holds it.',
    reason: {
      about: 'Empty',
      outcome: 'blocks',
      code: 'RolloutHeld',
      message: 'RolloutPolicy careful: no window is open before 2026-01-02T20:00:00Z',
      help: /spec\.covers/,
    },
  },
  'a drifted node whose pool has an open circuit breaker': {
    ask: ['node', 'n1'],
    manifests: pool({ status: openBreaker('2026-01-02T00:01:00Z') }) + aDriftedNode,
    summary: 'The node is not disrupted: something holds it.',
    reason: {
      about: 'Drifted',
      outcome: 'blocks',
      code: 'CircuitOpen',
      message: '3 in a row: nodes did not register (RegistrationFailed); one node tries again at 2026-01-02T00:01:00Z',
    },
  },
  'a drifted node while the circuit breaker of all pools is open': {
    ask: ['node', 'n1'],
    manifests: pool({ status: openBreaker('2026-01-02T00:01:00Z', 'Stalled') }) + aDriftedNode,
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'CircuitOpen', help: /one node is tried now and then/ },
  },
  'a drifted node that may try': {
    ask: ['node', 'n1'],
    manifests: pool({ status: openBreaker('2026-01-02T00:00:00Z') }) + aDriftedNode,
    summary: 'The node can be disrupted now: Drifted.',
  },
  'a drifted node while another one tries': {
    ask: ['node', 'n1'],
    manifests:
      pool({ status: openBreaker('2026-01-02T00:00:00Z') }) +
      aDriftedNode +
      machine('n2').replaceAll('karpenter.sh/initialized: "true", ', ''),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'CircuitOpen' },
  },
  'a node that would save money while its circuit breaker lets another one try': {
    ask: ['node', 'n1'],
    manifests:
      pool({ status: openBreaker('2026-01-02T00:00:00Z') }) + machine('n1') + pod('web', { more: 'nodeName: n1' }),
    summary: 'The node is not disrupted: something holds it.',
    reason: {
      about: 'Underutilized',
      outcome: 'blocks',
      code: 'CircuitOpen',
      message: '3 in a row: nodes did not register (RegistrationFailed); one node tries again at 2026-01-02T01:00:00Z',
    },
  },
  'an empty node whose pool has an open circuit breaker': {
    ask: ['node', 'n1'],
    manifests: pool({ status: openBreaker('2026-01-02T00:01:00Z') }) + machine('n1'),
    summary: 'The node can be disrupted now: Empty.',
  },
  'an empty node whose policy holds drift alone': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1') + eveningPolicy('Drift'),
    summary: 'The node can be disrupted now: Empty.',
  },
  'an empty node whose policy only observes': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1') + eveningPolicy('Consolidation').replace('spec: {', 'spec: {mode: Observe, '),
    summary: 'The node can be disrupted now: Empty.',
  },
  'an empty node': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1'),
    summary: 'The node can be disrupted now: Empty.',
    reason: {
      about: 'Empty',
      outcome: 'allows',
      code: 'Empty',
      help: /see its events.* looks again after five minutes/,
    },
  },
  'an empty node that a budget holds': {
    ask: ['node', 'n1'],
    manifests: pool({ budgets: '[{nodes: "0"}]' }) + machine('n1'),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'BudgetIsZero', help: /budgets/ },
  },
  'a node whose pool never consolidates': {
    ask: ['node', 'n1'],
    manifests: pool({ consolidateAfter: 'Never' }) + machine('n1'),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'ConsolidationDisabled', help: /consolidateAfter/ },
  },
  'a node with the do-not-disrupt annotation': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1', { annotations: '{karpenter.sh/do-not-disrupt: "true"}' }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'every reason', outcome: 'blocks', code: 'NodeDoNotDisrupt', help: /annotation/ },
  },
  'a node with a pod that must not be disrupted': {
    ask: ['node', 'n1'],
    manifests:
      pool() +
      machine('n1') +
      pod('web', { more: 'nodeName: n1', annotations: '{karpenter.sh/do-not-disrupt: "true"}' }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'every reason', outcome: 'blocks', code: 'PodDoNotDisrupt', help: /annotation/ },
  },
  'an underutilized node': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1') + pod('web', { more: 'nodeName: n1' }),
    summary: 'The node can be disrupted now: Underutilized.',
    reason: { about: 'Underutilized', outcome: 'allows', code: 'Underutilized' },
  },
  'a node that nothing cheaper could replace': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1') + pod('web', { cpu: '6', more: 'nodeName: n1' }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Underutilized', outcome: 'blocks', code: 'NoCheaperReplacement', help: /cheaper/ },
  },
  'a drifted node': {
    ask: ['nodeclaim', 'claim-n1'],
    manifests: pool() + machine('n1', { conditions: drifted }) + pod('web', { cpu: '6', more: 'nodeName: n1' }),
    summary: 'The node can be disrupted now: Drifted.',
    reason: { about: 'Drifted', outcome: 'allows', code: 'NodeClassDrift' },
  },
  'a node whose replacement is starting': {
    ask: ['node', 'n1'],
    manifests:
      pool({ budgets: '[{nodes: "0"}]' }) +
      machine('n1', { conditions: drifted + disruptedFor('Drifted'), taints: disrupted }),
    summary: 'The node is being disrupted: Drifted.',
    reason: { about: 'Drifted', outcome: 'allows', code: 'InQueue', help: /under way/ },
  },
  'a node that is tainted already, whose claim does not tell why yet': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1', { taints: disrupted }),
    summary: 'The node is being disrupted.',
    reason: { about: 'disruption', outcome: 'allows', code: 'InQueue' },
  },
  'a deleted node': {
    ask: ['nodeclaim', 'claim-n1'],
    manifests: pool() + machine('n1', { conditions: disruptedFor('Empty'), taints: disrupted, deleted: deletedAt }),
    summary: 'The node is being deleted: it waits for no pod any more.',
    reason: { about: 'Empty', outcome: 'allows', code: 'Deleting' },
  },
  'a node beside one whose replacement is starting': {
    ask: ['node', 'n1'],
    manifests:
      pool({ budgets: '[{nodes: "1"}]' }) +
      machine('n1') +
      machine('n2', { conditions: disruptedFor('Empty'), taints: disrupted }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'BudgetExhausted', help: /under way/ },
  },
  'an empty node in the window of a budget of zero': {
    ask: ['node', 'n1'],
    manifests: pool({ budgets: '[{nodes: "0", schedule: "@daily", duration: 5h}]' }) + machine('n1'),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'BudgetExhausted', help: /^wait until then/ },
  },
  'an empty node where one that is not ready uses the budget up': {
    ask: ['node', 'n1'],
    manifests:
      pool({ budgets: '[{nodes: "1"}]' }) + machine('n1') + machine('n2', { ready: '{type: Ready, status: "False"}' }),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'BudgetExhausted', help: /^mend the nodes/ },
  },
}

test.each(Object.entries(cases))('explain tells of %s', checkExplained)

test('a node without a budget of its own says when it expires', async () => {
  const { reasons } = await explained('node', 'n1', pool() + machine('n1'))
  expect(reasons.at(-1)).toMatchObject({ about: 'Expired', code: 'NotExpired' })
  expect(reasons.at(-1)?.message).toContain('2026-01-31T00:00:00Z')
})

const expired = { about: 'Expired', outcome: 'blocks', code: 'RolloutHeld' }
const lives = (expireAfter: string, more = '') =>
  machine('n1').replace('expireAfter: 720h', `expireAfter: ${expireAfter}${more}`)

test.each([
  [
    'that has expired',
    lives('12h'),
    'Expiration',
    {
      ...expired,
      message: 'expired at 2026-01-01T12:00:00Z, RolloutPolicy careful lets it go at 2026-01-02T20:00:00Z, in 20h0m0s',
    },
  ],
  [
    'that has expired, with a grace period that ends before',
    lives('12h', '\n  terminationGracePeriod: 18h'),
    'Expiration',
    {
      ...expired,
      message: 'expired at 2026-01-01T12:00:00Z, RolloutPolicy careful lets it go at 2026-01-02T06:00:00Z, in 6h0m0s',
    },
  ],
  [
    'that is yet to expire',
    lives('30h'),
    'Expiration',
    {
      about: 'Expired',
      outcome: 'idle',
      message:
        'expires at 2026-01-02T06:00:00Z, in 6h0m0s; RolloutPolicy careful lets it go at 2026-01-02T20:00:00Z, in 20h0m0s',
    },
  ],
  [
    'that has expired, of a policy that holds drift alone',
    lives('12h'),
    'Drift',
    { about: 'Expired', outcome: 'allows', message: 'expired at 2026-01-01T12:00:00Z, budgets do not hold it' },
  ],
])('a node %s says when its policy lets it go', async (_what, node, covers, wanted) => {
  const { reasons } = await explained('node', 'n1', pool() + node + eveningPolicy(covers))
  expect(reasons.at(-1)).toMatchObject(wanted)
})
