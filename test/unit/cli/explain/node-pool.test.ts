import { expect, test } from 'vitest'
import {
  type ExplainCase,
  checkExplained,
  eveningPolicy,
  explained,
  machine,
  medium,
  openBreaker,
  paused,
  pausedClass,
  pausedPolicy,
  pool,
} from './world.ts'

const cases: Record<string, ExplainCase> = {
  'a pool whose circuit breaker is open': {
    ask: ['nodepool', 'general'],
    manifests: pool({ status: openBreaker('2026-01-02T00:01:00Z') }) + machine('n1'),
    summary: 'The NodePool cannot launch nodes; its budgets let nodes be disrupted.',
    reason: {
      about: 'instance types',
      outcome: 'blocks',
      code: 'CircuitOpen',
      message:
        'skipping, circuit breaker is open: 3 in a row: nodes did not register (RegistrationFailed); one node tries again at 2026-01-02T00:01:00Z',
      help: /one node is tried now and then/,
    },
  },
  'a pool whose circuit breaker lets one node try': {
    ask: ['nodepool', 'general'],
    manifests: pool({ status: openBreaker('2026-01-02T00:00:00Z') }),
    summary: 'The NodePool can launch nodes; it has no nodes.',
  },
  'a pool whose budgets hold everything': {
    ask: ['nodepool', 'general'],
    manifests: pool({ budgets: '[{nodes: "0"}]' }) + machine('n1'),
    summary: 'The NodePool can launch nodes; none of its nodes may be disrupted now.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'BudgetIsZero' },
  },
  'a retired pool': {
    ask: ['nodepool', 'general'],
    manifests: pool({ metadata: '{name: general, annotations: {joinery.dev/retire: general}}' }) + machine('n1'),
    summary: 'The NodePool cannot launch nodes; its budgets let nodes be disrupted.',
    reason: { about: 'launch', outcome: 'blocks', code: 'retiring', help: /`joinery rollout retire general --cancel`/ },
  },
  'a pool that pauses itself': {
    ask: ['nodepool', 'general'],
    manifests: pool({ metadata: `{name: general, annotations: ${paused}}` }) + machine('n1'),
    summary: 'The NodePool can launch nodes; none of its nodes may be disrupted now.',
    reason: {
      about: 'Drifted',
      outcome: 'blocks',
      code: 'Paused',
      message: 'Paused until 2026-01-03T00:00:00Z by NodePool/general',
      help: /pause-until/,
    },
  },
  'a pool whose class pauses it': {
    ask: ['nodepool', 'general'],
    manifests: pool() + pausedClass + machine('n1'),
    summary: 'The NodePool can launch nodes; none of its nodes may be disrupted now.',
    reason: {
      about: 'Empty',
      outcome: 'blocks',
      code: 'Paused',
      message: 'Paused until 2026-01-03T00:00:00Z by EC2NodeClass/default',
    },
  },
  'a pool that a policy pauses': {
    ask: ['nodepool', 'general'],
    manifests: pool() + pausedPolicy + machine('n1'),
    summary: 'The NodePool can launch nodes; none of its nodes may be disrupted now.',
    reason: {
      about: 'Underutilized',
      outcome: 'blocks',
      code: 'Paused',
      message: 'Paused until 2026-01-03T00:00:00Z by RolloutPolicy/careful',
    },
  },
  'a pool whose policy lets nothing go before the evening': {
    ask: ['nodepool', 'general'],
    manifests: pool() + eveningPolicy('Consolidation') + machine('n1'),
    summary: 'The NodePool can launch nodes; its budgets let nodes be disrupted.',
    reason: {
      about: 'Underutilized',
      outcome: 'blocks',
      code: 'RolloutHeld',
      message: 'RolloutPolicy careful: no window is open before 2026-01-02T20:00:00Z',
    },
  },
  'a pool without nodes': {
    ask: ['nodepool', 'general'],
    manifests: pool({ budgets: '[{nodes: "10%"}]' }),
    summary: 'The NodePool can launch nodes; it has no nodes.',
    reason: { about: 'Drifted', outcome: 'idle', code: 'NoNodes' },
  },
  'a pool whose class is not there': {
    ask: ['nodepool', 'general'],
    manifests: pool({
      status:
        '{conditions: [{type: NodeClassReady, status: "False", reason: NodeClassNotFound, message: x, lastTransitionTime: "2026-01-01T00:00:00Z"}]}',
    }),
    summary: 'The NodePool cannot launch nodes; it has no nodes.',
    reason: {
      about: 'condition NodeClassReady',
      outcome: 'blocks',
      code: 'NodeClassNotFound',
      help: /^create the EC2NodeClass default, or correct nodeClassRef.name$/,
    },
  },
  'a pool at its limit': {
    ask: ['nodepool', 'general'],
    manifests: pool({ limits: '{cpu: "8"}' }) + machine('n1'),
    summary: 'The NodePool cannot launch nodes; its budgets let nodes be disrupted.',
    reason: { about: 'limit cpu', outcome: 'blocks', code: 'limits', help: /spec\.limits\.cpu/ },
  },
}

test.each(Object.entries(cases))('explain tells of %s', checkExplained)

test('a scheduled budget of zero says when its window ends', async () => {
  const manifests = pool({ budgets: '[{nodes: "0", schedule: "@daily", duration: 5h}]' }) + machine('n1')
  const [first] = (await explained('nodepool', 'general', manifests)).reasons
  expect(first?.message).toBe('a scheduled budget allows no node until 2026-01-02T05:00:00Z, in 5h0m0s')
})

test('of a pool the instance types are counted that its requirements allow', async () => {
  const spotOnly = medium.replace('on-demand', 'spot')
  const { facts } = await explained('nodepool', 'general', spotOnly + pool())
  expect(facts).toContainEqual({ name: 'instance types', value: '2' })
})
