import { test } from 'vitest'
import { type ExplainCase, checkExplained, machine, openBreaker, pod, pool } from './world.ts'

const joining = (registered: string): string =>
  machine('n1').replaceAll('karpenter.sh/registered: "true", karpenter.sh/initialized: "true", ', registered)

/** Its node has not joined yet. */
const launched = joining('')
  .replace(/---\napiVersion: v1\nkind: Node\n[^]*/, '')
  .replace(
    /conditions: .*/,
    'conditions: [{type: Launched, status: "True", reason: Launched, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]',
  )

const cases: Record<string, ExplainCase> = {
  'a pod that a new node would run': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + pod('web'),
    summary: 'A new node of NodePool general would run the pod.',
    reason: { about: 'nodepool general', outcome: 'allows', code: 'WouldLaunch' },
  },
  'a pod whose only pool opens no node while its circuit breaker is open': {
    ask: ['pod', 'shop/web'],
    manifests: pool({ status: openBreaker('2026-01-02T00:01:00Z') }) + pod('web'),
    summary: 'The pod waits: no node there is has room for it, and every NodePool refuses it.',
    reason: {
      about: 'nodepool general',
      outcome: 'blocks',
      code: 'CircuitOpen',
      help: /one node is tried now and then/,
    },
  },
  'a pod while the circuit breaker of all pools is open': {
    ask: ['pod', 'shop/web'],
    manifests: pool({ status: openBreaker('2026-01-02T00:01:00Z', 'Stalled') }) + pod('web'),
    summary: 'The pod waits: no node there is has room for it, and every NodePool refuses it.',
    reason: { about: 'nodepool general', outcome: 'blocks', code: 'CircuitOpen' },
  },
  'a pod for which one node may try': {
    ask: ['pod', 'shop/web'],
    manifests: pool({ status: openBreaker('2026-01-02T00:00:00Z') }) + pod('web'),
    summary: 'A new node of NodePool general would run the pod.',
  },
  'a pod for which the node that tries has no room': {
    ask: ['pod', 'shop/web'],
    manifests:
      pool({ status: openBreaker('2026-01-02T00:00:00Z') }) +
      joining('karpenter.sh/registered: "true", ') +
      pod('there', { cpu: '5', more: 'nodeName: n1' }) +
      pod('web', { cpu: '5' }),
    summary: 'The pod waits: no node there is has room for it, and every NodePool refuses it.',
    reason: { about: 'nodepool general', outcome: 'blocks', code: 'CircuitOpen' },
  },
  'a pod whose pool lacks capacity, which other types may have': {
    ask: ['pod', 'shop/web'],
    manifests:
      pool({
        status: openBreaker('2026-01-02T00:01:00Z').replaceAll('RegistrationFailed', 'InsufficientCapacity'),
      }) + pod('web'),
    summary: 'A new node of NodePool general would run the pod.',
  },
  'a pod for which a node there is has room': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + machine('n1') + pod('web'),
    summary: 'The pod fits node n1, no new node is needed.',
    reason: { about: 'node n1', outcome: 'allows', code: 'FitsNode' },
  },
  'a pod for which a node has room that has not joined yet: there is only its claim': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + launched + pod('web'),
    summary: 'The pod fits nodeclaim claim-n1, which is on its way up; no other node is needed.',
    reason: { about: 'nodeclaim claim-n1', outcome: 'allows', code: 'FitsNode', help: /explain nodeclaim claim-n1`/ },
  },
  'a pod for which a node has room that still has its startup taint': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + joining('karpenter.sh/registered: "true", ') + pod('web'),
    summary: 'The pod fits node n1, which is on its way up; no other node is needed.',
    reason: { about: 'node n1', outcome: 'allows', code: 'FitsNode', help: /explain nodeclaim claim-n1`/ },
  },
  'a pod that does not tolerate the taint of the only pool': {
    ask: ['pod', 'shop/web'],
    manifests: pool({ taints: '[{key: team, value: a, effect: NoSchedule}]' }) + pod('web'),
    summary: 'The pod waits: no node there is has room for it, and every NodePool refuses it.',
    reason: { about: 'nodepool general', outcome: 'blocks', code: 'taints', help: /toler/ },
  },
  'a pod larger than every type': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + pod('web', { cpu: '9' }),
    summary: 'The pod waits: no node there is has room for it, and every NodePool refuses it.',
    reason: { about: 'nodepool general', outcome: 'blocks', code: 'instanceTypes', help: /cpu/ },
  },
  'a pod whose pool is at its limit': {
    ask: ['pod', 'shop/web'],
    manifests: pool({ limits: '{cpu: "1"}' }) + pod('web'),
    summary: 'The pod waits: no node there is has room for it, and every NodePool refuses it.',
    reason: { about: 'nodepool general', outcome: 'blocks', code: 'limits', help: /limits\.cpu/ },
  },
  'a pod where there is no NodePool': {
    ask: ['pod', 'shop/web'],
    manifests: pod('web'),
    summary: 'The pod waits: no NodePool can launch nodes, and no node there is has room for it.',
    reason: { about: 'cluster', outcome: 'blocks', code: 'NoNodePools', help: /NodePool/ },
  },
  'a pod that has a node': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + machine('n1') + pod('web', { more: 'nodeName: n1' }),
    summary: 'The pod does not wait: it is bound to node n1.',
  },
  'a pod that has ended on a node': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + machine('n1') + pod('web', { more: 'nodeName: n1' }) + 'status: {phase: Succeeded}\n',
    summary: 'No node is made for this pod.',
    reason: { about: 'pod', outcome: 'idle', code: 'Finished' },
  },
  'a pod that has ended before it had a node': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + pod('web') + 'status: {phase: Failed}\n',
    summary: 'No node is made for this pod.',
    reason: { about: 'pod', outcome: 'idle', code: 'Finished' },
  },
  'a pod whose node is not there any more': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + pod('web', { more: 'nodeName: n9' }),
    summary: 'The pod does not wait: it is bound to node n9, of which nothing else is known.',
  },
  'a pod where the only pool is retired': {
    ask: ['pod', 'shop/web'],
    manifests: pool({ metadata: '{name: general, annotations: {joinery.dev/retire: general}}' }) + pod('web'),
    summary: 'The pod waits: no NodePool can launch nodes, and no node there is has room for it.',
    reason: {
      about: 'nodepool general',
      outcome: 'blocks',
      code: 'retiring',
      help: /`joinery rollout retire general --cancel`/,
    },
  },
}

test.each(Object.entries(cases))('explain tells of %s', checkExplained)
