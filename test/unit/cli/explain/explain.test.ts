import { expect, test } from 'vitest'
import type { Explanation } from '../../../../src/cli/explain/explanation.ts'
import { bufferManifest } from '../../../support/buffer-manifest.ts'
import { catalogManifest } from '../../../support/catalog-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

const catalogue = catalogManifest('test', [
  { name: 'small', cpu: '2', memory: '4Gi', price: 0.1 },
  { name: 'big', cpu: '8', memory: '16Gi', price: 0.4 },
])

interface PoolWish {
  readonly metadata?: string
  readonly status?: string
  readonly limits?: string
  readonly budgets?: string
  readonly consolidateAfter?: string
  readonly taints?: string
}

function pool({
  metadata = '{name: general}',
  status = '{}',
  limits = '{}',
  budgets = '[{nodes: "100%"}]',
  consolidateAfter = '0s',
  taints = '[]',
}: PoolWish = {}) {
  return `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: ${metadata}
status: ${status}
spec:
  limits: ${limits}
  disruption: {consolidateAfter: ${consolidateAfter}, budgets: ${budgets}}
  template:
    spec:
      taints: ${taints}
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
`
}

function pod(name: string, { cpu = '1', more = '', annotations = '{}', labels = '{}', metadata = '' } = {}): string {
  return `---
apiVersion: v1
kind: Pod
metadata: {${metadata}name: ${name}, namespace: shop, annotations: ${annotations}, labels: ${labels}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
spec:
  ${more}
  containers: [{name: main, image: app, resources: {requests: {cpu: "${cpu}"}}}]
`
}

/** An initialized node of type big with its claim. */
function machine(
  name: string,
  {
    annotations = '{}',
    conditions = '',
    taints = '[]',
    deleted = '',
    claim = '',
    ready = '',
    type = 'big',
    cpu = '8',
    memory = '16Gi',
  } = {},
): string {
  const labels =
    '{karpenter.sh/nodepool: general, node.kubernetes.io/instance-type: ' +
    type +
    ', karpenter.sh/capacity-type: on-demand, topology.kubernetes.io/zone: zone-a, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", kubernetes.io/hostname: ' +
    name +
    ', kubernetes.io/arch: amd64, kubernetes.io/os: linux}'
  const at = 'lastTransitionTime: "2026-01-01T00:00:00Z"'
  const truly = (what: string): string => `{type: ${what}, status: "True", reason: ${what}, message: "", ${at}}`
  return `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: claim-${name}, labels: ${labels}, creationTimestamp: "2026-01-01T00:00:00Z"${deleted}${claim}}
spec:
  expireAfter: 720h
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements: []
status:
  providerID: aws:///zone-a/${name}
  nodeName: ${name}
  capacity: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  allocatable: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  conditions: [${['Launched', 'Registered', 'Initialized'].map(truly).join(', ')}${conditions}]
---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: ${labels}, annotations: ${annotations}${deleted}}
spec: {providerID: "aws:///zone-a/${name}", taints: ${taints}}
status:
  capacity: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  allocatable: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  conditions: [${ready === '' ? truly('Ready') : ready}]
`
}

async function explained(
  subject: string,
  name: string,
  manifests: string,
  gates: readonly string[] = [],
): Promise<Explanation> {
  const now = ['--now', '2026-01-02T00:00:00Z', ...gates]
  const { code, stdout, stderr } = await runCommand(['explain', subject, name, '-f', '-', '-o', 'json', ...now], {
    stdin: catalogue + manifests,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Explanation
}

const drifted =
  ', {type: Drifted, status: "True", reason: NodeClassDrift, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}'

const disrupted = '[{key: karpenter.sh/disrupted, effect: NoSchedule}]'
const disruptedFor = (why: string): string =>
  `, {type: DisruptionReason, status: "True", reason: ${why}, message: ${why}, lastTransitionTime: "2026-01-01T23:00:00Z"}`
const deletedAt = ', deletionTimestamp: "2026-01-01T23:00:00Z", finalizers: [karpenter.sh/termination]'

test('the feature gates are those of the operator that runs, unless others are given', async () => {
  const operator = (replicas: number, gates: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: joinery-${replicas}, namespace: kube-system}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: joinery}}
  template:
    metadata: {labels: {app: joinery}}
    spec: {containers: [{name: controller, image: joinery, env: [{name: FEATURE_GATES, value: "${gates}"}]}]}
`
  const sick =
    '{type: Ready, status: "False", reason: KubeletNotReady, message: "", lastTransitionTime: "2026-01-01T01:00:00Z"}'
  const manifests =
    operator(0, 'NodeRepair=false,NodeOverlay=true') +
    operator(2, 'NodeRepair=true') +
    pool() +
    machine('n1', { ready: sick })
  const args = ['explain', 'node', 'n1', '-f', '-', '-o', 'json', '--now', '2026-01-02T00:00:00Z']
  const input = { stdin: catalogue + manifests }
  const seen = await runCommand(args, input)
  expect(seen.stderr).toBe('note: feature gates as Deployment kube-system/joinery-2 has them: NodeRepair=true\n')
  expect(JSON.parse(seen.stdout)).toMatchObject({
    summary: 'The node is replaced now: it has been unhealthy for too long.',
  })
  const given = await runCommand([...args, '--feature-gates', 'NodeRepair=false'], input)
  expect(given.stderr).toBe('')
  expect(JSON.parse(given.stdout).reasons).toContainEqual(expect.objectContaining({ code: 'NodeRepairDisabled' }))
  const usual = await runCommand(args, { stdin: catalogue + operator(2, 'NodeRepair=false') + pool() + machine('n1') })
  expect(usual.stderr).toBe('')
})

const waitingFor = (node: string, manager: string): string =>
  pod('late', {
    metadata: `managedFields: [{manager: ${manager}, subresource: status, fieldsV1: {"f:status": {"f:nominatedNodeName": {}}}}], `,
  }) +
  `status: {phase: Pending, nominatedNodeName: ${node}, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}\n`

test.each(['node', 'nodeclaim'])(
  'a %s is held while a pod waits that the operator nominated for it',
  async (subject) => {
    const name = subject === 'node' ? 'n1' : 'claim-n1'
    const { facts, reasons, summary } = await explained(
      subject,
      name,
      pool() + machine('n1') + waitingFor('n1', 'karpenter'),
    )
    expect(summary).toBe('The node is not disrupted: something holds it.')
    expect(facts).toContainEqual({ name: 'nominated for', value: 'shop/late' })
    expect(reasons).toContainEqual(
      expect.objectContaining({ outcome: 'blocks', code: 'Nominated', message: 'Node is nominated for a pending pod' }),
    )
  },
)

test.each([
  ['of another node', waitingFor('n2', 'karpenter')],
  ['by kube-scheduler, for preemption', waitingFor('n1', 'kube-scheduler')],
])('a nomination %s holds no node', async (_whose, late) => {
  const { facts, summary } = await explained('node', 'n1', pool() + machine('n1') + late)
  expect(summary).toBe('The node can be disrupted now: Empty.')
  expect(facts.map(({ name }) => name)).not.toContain('nominated for')
})

test('a node is not empty while a capacity buffer holds room on it, and its pods cannot go where the room is held', async () => {
  const buffer = bufferManifest('shop', '6', 1)
  const gates = ['--feature-gates', 'CapacityBuffer=true']
  const empty = pool() + machine('n1') + buffer
  expect((await explained('node', 'n1', empty, gates)).reasons).toContainEqual(
    expect.objectContaining({ about: 'Empty', outcome: 'blocks', code: 'BufferPods' }),
  )
  expect((await explained('node', 'n1', empty)).summary).toBe('The node can be disrupted now: Empty.')
  const web = pod('web', { cpu: '6', more: 'nodeName: n1' })
  const two = pool() + machine('n1') + machine('n2', { claim: '' }) + web
  const reasonOf = async (manifests: string): Promise<string | undefined> =>
    (await explained('node', 'n1', manifests, gates)).reasons.find(({ about }) => about === 'Underutilized')?.message
  expect(await reasonOf(two)).toContain('its pods fit on other nodes')
  expect(await reasonOf(two + buffer)).not.toContain('its pods fit on other nodes')
})

const paused = '{joinery.dev/pause-until: "2026-01-03T00:00:00Z"}'
const pausedClass = `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default, annotations: ${paused}}
spec: {role: node, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}
`
const pausedPolicy = `---
apiVersion: joinery.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: careful}
spec: {nodePoolSelector: {}, pausedUntil: "2026-01-03T00:00:00Z"}
`

const cases: Record<
  string,
  {
    readonly ask: readonly [string, string]
    readonly manifests: string
    readonly summary: string
    readonly reason?: {
      readonly about: string
      readonly outcome: string
      readonly code: string
      readonly message?: string
      readonly help?: RegExp
    }
  }
> = {
  'a pod that a new node would run': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + pod('web'),
    summary: 'A new node of NodePool general would run the pod.',
    reason: { about: 'nodepool general', outcome: 'allows', code: 'WouldLaunch' },
  },
  'a pod for which a node there is has room': {
    ask: ['pod', 'shop/web'],
    manifests: pool() + machine('n1') + pod('web'),
    summary: 'The pod fits node n1, no new node is needed.',
    reason: { about: 'node n1', outcome: 'allows', code: 'FitsNode' },
  },
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
  'an empty node whose pool is paused': {
    ask: ['node', 'n1'],
    manifests:
      pool({ metadata: '{name: general, annotations: {joinery.dev/pause-until: "2026-01-03T00:00:00Z"}}' }) +
      machine('n1'),
    summary: 'The node is not disrupted: something holds it.',
    reason: { about: 'Empty', outcome: 'blocks', code: 'Paused', help: /pause-until/ },
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
  'an empty node': {
    ask: ['node', 'n1'],
    manifests: pool() + machine('n1'),
    summary: 'The node can be disrupted now: Empty.',
    reason: { about: 'Empty', outcome: 'allows', code: 'Empty' },
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
  'a pool whose budgets hold everything': {
    ask: ['nodepool', 'general'],
    manifests: pool({ budgets: '[{nodes: "0"}]' }) + machine('n1'),
    summary: 'The NodePool can launch nodes; none of its nodes may be disrupted now.',
    reason: { about: 'Drifted', outcome: 'blocks', code: 'BudgetIsZero' },
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
  'a retired pool': {
    ask: ['nodepool', 'general'],
    manifests: pool({ metadata: '{name: general, annotations: {joinery.dev/retire: general}}' }) + machine('n1'),
    summary: 'The NodePool cannot launch nodes; its budgets let nodes be disrupted.',
    reason: { about: 'launch', outcome: 'blocks', code: 'retiring', help: /`joinery rollout retire general --cancel`/ },
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
  'a pool without nodes': {
    ask: ['nodepool', 'general'],
    manifests: pool({ budgets: '[{nodes: "10%"}]' }),
    summary: 'The NodePool can launch nodes; it has no nodes.',
    reason: { about: 'Drifted', outcome: 'idle', code: 'NoNodes' },
  },
  'a pool at its limit': {
    ask: ['nodepool', 'general'],
    manifests: pool({ limits: '{cpu: "8"}' }) + machine('n1'),
    summary: 'The NodePool cannot launch nodes; its budgets let nodes be disrupted.',
    reason: { about: 'limit cpu', outcome: 'blocks', code: 'limits', help: /spec\.limits\.cpu/ },
  },
}

test.each(Object.entries(cases))('explain tells of %s', async (_name, { ask, manifests, summary, reason }) => {
  const explanation = await explained(...ask, manifests)
  expect(explanation.summary).toBe(summary)
  if (reason === undefined) return
  const { help, ...wanted } = reason
  const found = explanation.reasons.find(({ about, code }) => about === reason.about && code === reason.code)
  expect(explanation.reasons).toContainEqual(expect.objectContaining(wanted))
  if (help !== undefined) expect(found?.help).toMatch(help)
})

test('a node without a budget of its own says when it expires', async () => {
  const { reasons } = await explained('node', 'n1', pool() + machine('n1'))
  expect(reasons.at(-1)).toMatchObject({ about: 'Expired', code: 'NotExpired' })
  expect(reasons.at(-1)?.message).toContain('2026-01-31T00:00:00Z')
})

const medium = `
  - name: medium
    capacity: {cpu: "4", memory: 8Gi, pods: "20"}
    requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: kubernetes.io/os, operator: In, values: [linux]}]
    offerings:
      - price: 0.25
        requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
`

test('three nodes none of which could go alone are told to go together', async () => {
  const names = ['n1', 'n2', 'n3']
  const nodes = names.map((name) => machine(name, { type: 'medium', cpu: '4', memory: '8Gi' }))
  const pods = names.map((name) => pod(`web-${name}`, { cpu: '2.2', more: `nodeName: ${name}` }))
  const { summary, reasons } = await explained('node', 'n2', medium + pool() + nodes.join('') + pods.join(''))
  expect(summary).toBe('The node can be disrupted now: Underutilized.')
  const found = reasons.find(({ about }) => about === 'Underutilized')
  expect(found).toMatchObject({ outcome: 'allows', code: 'Underutilized' })
  expect(found?.message).toBe(
    'it goes together with n1, n3: one cheaper node (such as big) can take all their pods, saving $0.35 per hour',
  )
})

test('a node that cannot go is told so alone and in company', async () => {
  const manifests = pool() + machine('n1') + pod('web', { cpu: '6', more: 'nodeName: n1' })
  const { reasons } = await explained('node', 'n1', manifests)
  expect(reasons.find(({ about }) => about === 'Underutilized')?.message).toBe(
    "alone: Can't replace with a cheaper node; the search finds no nodes that could go together",
  )
})

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

const silentSince = (time: string): string =>
  `{type: Ready, status: Unknown, reason: NodeStatusUnknown, message: Kubelet stopped posting node status., lastTransitionTime: "${time}"}`
const withRepair = ['--feature-gates', 'NodeRepair=true']

test('a node that is not ready says so, and that nothing repairs it', async () => {
  const manifests = pool() + machine('n1', { ready: silentSince('2026-01-01T23:50:00Z') })
  const { summary, facts, reasons } = await explained('node', 'n1', manifests)
  expect(summary).toBe('The node is not disrupted: something holds it. It is not healthy.')
  expect(facts).toContainEqual({
    name: 'not ready',
    value: 'since 2026-01-01T23:50:00Z: Ready is Unknown, Kubelet stopped posting node status.',
  })
  expect(reasons[0]).toMatchObject({ about: 'Unhealthy', outcome: 'idle', code: 'NodeRepairDisabled' })
})

test('with NodeRepair a node that is not ready says when it is replaced', async () => {
  const repaired = async (since: string) => {
    const manifests = pool() + machine('n1', { ready: silentSince(since) })
    const { summary, reasons } = await explained('node', 'n1', manifests, withRepair)
    return { summary, first: reasons[0] }
  }
  const early = await repaired('2026-01-01T23:50:00Z')
  expect(early.first).toMatchObject({ about: 'Unhealthy', outcome: 'idle', code: 'Unhealthy' })
  expect(early.first?.message).toBe(
    'Ready is Unknown: the node is replaced at 2026-01-02T00:20:00Z, in 20m0s, unless it recovers',
  )
  const late = await repaired('2026-01-01T23:00:00Z')
  expect(late.summary).toBe('The node is replaced now: it has been unhealthy for too long.')
  expect(late.first).toMatchObject({ about: 'Unhealthy', outcome: 'allows', code: 'Unhealthy' })
})

test('with NodeRepair too many unhealthy nodes of a pool hold the repair of each', async () => {
  const names = ['n1', 'n2', 'n3']
  const nodes = names.map((name) => machine(name, { ready: silentSince('2026-01-01T23:00:00Z') }))
  const { reasons } = await explained('node', 'n1', pool() + nodes.join(''), withRepair)
  expect(reasons[0]).toMatchObject({ about: 'Unhealthy', outcome: 'blocks', code: 'NodeRepairBlocked' })
  expect(reasons[0]?.message).toMatch(/^Ready is Unknown, but 3 of 3 nodes of NodePool general are unhealthy/)
})

const stuckDrain =
  pool() +
  machine('n1', {
    conditions: disruptedFor('Drifted'),
    taints: disrupted,
    deleted: deletedAt,
    claim: ', annotations: {karpenter.sh/nodeclaim-termination-timestamp: "2026-01-02T01:00:00Z"}',
  }) +
  ['web-1', 'web-2']
    .map((name) => pod(name, { labels: '{app: web}', more: 'nodeName: n1\n  terminationGracePeriodSeconds: 60' }))
    .join('') +
  pod('batch', { more: 'nodeName: n1', annotations: '{karpenter.sh/do-not-disrupt: "true"}' }) +
  pod('going', { more: 'nodeName: n1', metadata: 'deletionTimestamp: "2026-01-02T00:00:20Z", ' }) +
  pod('stuck', {
    more: 'nodeName: n1',
    metadata: 'deletionTimestamp: "2026-01-01T23:59:30Z", finalizers: [example.com/backup], ',
  }) +
  pod('free', { more: 'nodeName: n1' }) +
  `---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {minAvailable: 5, selector: {matchLabels: {app: web}}}
status: {disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 5}
`

test('of a node that drains each pod that waits is told with what holds it, and when the patience ends', async () => {
  const { summary, facts, reasons } = await explained('node', 'n1', stuckDrain)
  expect(summary).toBe('The node is draining: it still waits for 6 pods, of which something holds 4.')
  expect(facts.find(({ name }) => name === 'drain deadline')?.value).toBe(
    '2026-01-02T01:00:00Z, in 1h0m0s: no pod outlives that, whatever holds it',
  )
  const told = reasons.map(({ about, outcome, code, message }) => [about, outcome, code, message].join(' | '))
  const pdb =
    'PodDisruptionBudget shop/web allows no eviction now (2 pods are healthy, it wants 5), deleted anyway at 2026-01-02T00:59:00Z'
  expect(told).toEqual([
    'Drifted | allows | Deleting | it is being deleted since 2026-01-01T23:00:00Z',
    'pod shop/stuck | blocks | Finalizers | its grace period ended at 2026-01-01T23:59:30Z, finalizers hold it: example.com/backup; a minute later the drain goes on without it',
    `pod shop/web-1 | blocks | PDBBlocked | ${pdb}`,
    `pod shop/web-2 | blocks | PDBBlocked | ${pdb}`,
    'pod shop/batch | blocks | PodDoNotDisrupt | the annotation karpenter.sh/do-not-disrupt holds it',
    'pod shop/going | idle | Terminating | it is terminating, its grace period lasts until 2026-01-02T00:00:20Z, in 20s',
    'pods | idle | Evicting | nothing holds them, they are being evicted: shop/free',
  ])
})

test('help that several lines in a row have in common stands below the last of them', async () => {
  const now = ['--now', '2026-01-02T00:00:00Z']
  const { stdout } = await runCommand(['explain', 'node', 'n1', '-f', '-', ...now], { stdin: catalogue + stuckDrain })
  expect(stdout).toMatch(/^x pod shop\/web-1: .*\nx pod shop\/web-2: .*\n {4}help: .*loosen it/m)
})

test('the text names the object, the answer, and how to help', async () => {
  const { stdout } = await runCommand(['explain', 'pod', 'web', '-n', 'shop', '-f', '-'], {
    stdin: catalogue + pool({ taints: '[{key: team, effect: NoSchedule}]' }) + pod('web'),
  })
  const [first, second] = stdout.split('\n')
  expect(first).toBe('Pod shop/web')
  expect(second).toMatch(/^The pod waits/)
  expect(stdout).toMatch(/^x nodepool general: did not tolerate taint .*\[taints\]\n {4}help: /m)
})

test('what is not there exits with 1, wrong usage with 2', async () => {
  const missing = await runCommand(['explain', 'node', 'n9', '-f', '-'], { stdin: pool() })
  expect(missing).toMatchObject({ code: 1, stderr: 'there is no node n9 in the input\n' })
  expect((await runCommand(['explain', 'pod', 'web', '-f', '-'], { stdin: pool() })).stderr).toBe(
    'there is no pod web in namespace default of the input\n',
  )
  const elsewhere = await runCommand(['explain', 'pod', 'web', '-f', '-'], { stdin: catalogue + pool() + pod('web') })
  expect(elsewhere).toMatchObject({
    code: 1,
    stderr: 'there is no pod web in namespace default of the input; there is one in shop\n',
  })
  expect((await runCommand(['explain', 'deployment', 'web', '-f', '-'])).code).toBe(2)
  for (const name of ['a/b/c', 'a/', '/b']) {
    const { code, stderr } = await runCommand(['explain', 'pod', name, '-f', '-'])
    expect([code, stderr]).toEqual([2, `error: ${name}: expected NAME or NAMESPACE/NAME of a pod\n`])
  }
  expect((await runCommand(['explain', 'node', 'n1', '-f', '-', '--context', 'prod'])).code).toBe(2)
})
