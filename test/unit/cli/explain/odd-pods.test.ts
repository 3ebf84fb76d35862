import { expect, test } from 'vitest'
import type { Explanation } from '../../../../src/cli/explain/explanation.ts'
import { catalogManifest } from '../../../support/catalog-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

/** Pods that something is wrong with: each is told its own reason and what would help, and none hides the others. */

const catalogue = catalogManifest('test', [{ name: 'big', cpu: '8', memory: '16Gi', price: 0.4 }])
const withoutTypes = `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: of-no-class}
spec: {storageClassName: nope}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: at-once}
provisioner: ebs.csi.aws.com
volumeBindingMode: Immediate
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: at-once}
spec: {storageClassName: at-once}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: taken, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: taken, accessModes: [ReadWriteOncePod]}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: wanted, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: taken, accessModes: [ReadWriteOncePod]}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: taken}
spec: {csi: {driver: ebs.csi.aws.com, volumeHandle: vol-2}}
---
apiVersion: v1
kind: Node
metadata: {name: owners}
---
apiVersion: v1
kind: Pod
metadata: {name: owner}
spec:
  nodeName: owners
  containers: [{name: main}]
  volumes: [{name: taken, persistentVolumeClaim: {claimName: taken}}]
---
apiVersion: v1
kind: Pod
metadata: {name: larger}
spec:
  containers: [{name: main, resources: {requests: {cpu: "2"}}}]
  volumes: [{name: wanted, persistentVolumeClaim: {claimName: wanted}}]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: far, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: far}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: far}
spec:
  csi: {driver: ebs.csi.aws.com, volumeHandle: vol-1}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-f]}]}]}}
`
/** Each on one rack. */
const onRacks = ['r1', 'r2']
  .map(
    (rack) => `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${rack}, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: ${rack}}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: ${rack}}
spec:
  csi: {driver: csi.example.com, volumeHandle: ${rack}}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: example.com/rack, operator: In, values: [${rack}]}]}]}}
`,
  )
  .join('')
const world = catalogue + withoutTypes + onRacks

const selects = (selector: string): string => `nodeSelector: {${selector}}`
const uses = (...claims: string[]): string =>
  `volumes: [${claims.map((name) => `{name: ${name}, persistentVolumeClaim: {claimName: ${name}}}`).join()}]`
const term = (field: string): string =>
  `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{${field}}]}}}`
const near = (kind: string): string =>
  `affinity: {${kind}: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: nobody}}}]}}`

interface Case {
  readonly spec?: string
  readonly requests?: string
  readonly code: string
  readonly message: RegExp
  readonly help: RegExp
}

const cases: Record<string, Case> = {
  'an unknown StorageClass': {
    spec: uses('of-no-class'),
    code: 'volume',
    message: /storageclasses\.storage\.k8s\.io "nope" not found/,
    help: /StorageClass/,
  },
  'a missing PersistentVolumeClaim': {
    spec: uses('nope'),
    code: 'volume',
    message: /^persistentvolumeclaims "nope" not found$/,
    help: /PersistentVolumeClaim/,
  },
  'a claim that should be bound already': {
    spec: uses('at-once'),
    code: 'volume',
    message: /immediate volume binding mode must be bound/,
    help: /PersistentVolumeClaim/,
  },
  'a volume that another pod has to itself': {
    spec: uses('taken'),
    code: 'volume',
    message: /ReadWriteOncePod is in use by pod default\/owner/,
    help: /^wait until the pod that the message names is gone, or give this one a volume of its own$/,
  },
  'a volume for one pod alone that another one waits for, too': {
    spec: uses('wanted'),
    code: 'volume',
    message: /ReadWriteOncePod is left to pod default\/larger/,
    help: /^wait until the pod that the message names is gone, or give this one a volume of its own$/,
  },
  'a volume in a zone that no pool may use': {
    spec: uses('far'),
    code: 'volumeRequirements',
    message: /^incompatible volume requirements, .*zone-f.* not in .*zone-a/,
    help: /^nodepool general allows topology\.kubernetes\.io\/zone zone-a only$/,
  },
  'volumes that no node can have together': {
    spec: uses('r1', 'r2'),
    code: 'exclusiveVolumes',
    message: /^incompatible volume requirements, its volumes exclude each other by example\.com\/rack$/,
    help: /volumes that one node can have/,
  },
  'a restricted label': {
    spec: selects('karpenter.sh/custom: x'),
    code: 'requirement',
    message: /^using label karpenter\.sh\/custom is not allowed/,
    help: /instead of by karpenter\.sh\/custom/,
  },
  'a field instead of a label': {
    spec: term('matchFields: [{key: metadata.name, operator: In, values: [n1]}]'),
    code: 'matchFields',
    message: /^node selector term with matchFields is not supported$/,
    help: /matchExpressions/,
  },
  'a number that is none': {
    spec: term('matchExpressions: [{key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: [many]}]'),
    code: 'requirement',
    message: /must have a single positive integer value$/,
    help: /values that fit it/,
  },
  'a misspelt label': {
    spec: selects('zone: zone-a'),
    code: 'requirements',
    message: /typo of "topology\.kubernetes\.io\/zone"\?/,
    help: /does not define label zone/,
  },
  'cores by the million': {
    requests: '{cpu: 5M}',
    code: 'instanceTypes',
    message: /m vs M typo\?\)$/,
    help: /^5M cpu are 5000000 cores/,
  },
  'more memory than there is': {
    requests: '{memory: 9Ei}',
    code: 'instanceTypes',
    message: /^no instance type has enough resources/,
    help: /^the most room for memory is 16Gi, on big$/,
  },
  'a resource that no type has': {
    requests: '{nvidia.com/gpu: "1"}',
    code: 'instanceTypes',
    message: /^no instance type has enough resources/,
    help: /has nvidia\.com\/gpu$/,
  },
  'a type that the pool does not have': {
    spec: selects('node.kubernetes.io/instance-type: huge'),
    code: 'instanceTypes',
    message: /^no instance type met all requirements/,
    help: /^nodepool general does not have instance type huge$/,
  },
  'a pod to be near that is nowhere': {
    spec: near('podAffinity'),
    code: 'topology',
    message: /^unsatisfiable topology constraint for pod affinity/,
    help: /^a pod that the affinity selects must have its place first/,
  },
  'a domain that no node has': {
    spec: 'topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]',
    code: 'topology',
    message: /^unsatisfiable topology constraint for topology spread, key=rack/,
    help: /^let nodes have more values of rack/,
  },
  'a resource claim where they are not looked at': {
    spec: 'resourceClaims: [{name: gpu, resourceClaimName: gpu}]',
    code: 'resourceClaims',
    message: /^pod has Dynamic Resource Allocation requirements/,
    help: /--ignore-dra-requests=false/,
  },
}

function pod(name: string, { spec = '', requests = '{cpu: "1"}' }: Pick<Case, 'spec' | 'requests'> = {}): string {
  return `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  ${spec}
  containers: [{name: main, image: app, resources: {requests: ${requests}}}]
`
}

async function explained(manifests: string, name: string, ...more: string[]): Promise<Explanation> {
  const { code, stdout, stderr } = await runCommand(['explain', 'pod', name, '-f', '-', '-o', 'json', ...more], {
    stdin: manifests,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Explanation
}

test.each(Object.entries(cases))('%s', async (_name, { code, message, help, ...wish }) => {
  const { reasons } = await explained(`${world}${pod('odd', wish)}`, 'odd')
  expect(reasons[0]).toMatchObject({ code, message: expect.stringMatching(message), help: expect.stringMatching(help) })
})

test('a pool whose class is missing says so', async () => {
  const lost = withoutTypes.replace('name: default', 'name: gone')
  const { reasons } = await explained(`${lost}${pod('plain')}`, 'plain')
  expect(reasons.find(({ code }) => code === 'notReady')?.message).toBe(
    'the NodePool is not ready: NodeClass not found on cluster',
  )
})

test('odd pods do not stop the others', async () => {
  const all = Object.values(cases).map((one, index) => pod(`odd-${index}`, one))
  const { reasons } = await explained(`${world}${all.join('')}${pod('plain')}`, 'plain')
  expect(reasons[0]).toMatchObject({ code: 'WouldLaunch' })
})

test('resource claims are looked at where that is asked for', async () => {
  const manifests = `${world}${pod('odd', cases['a resource claim where they are not looked at'])}`
  const { reasons } = await explained(manifests, 'odd', '--ignore-dra-requests=false')
  expect(reasons[0]).toMatchObject({ code: 'resourceClaims', message: 'resourceclaim "default/gpu" not found' })
})

const nominated = (manager: string): string => `---
apiVersion: v1
kind: Pod
metadata:
  name: nominated
  managedFields: [{manager: ${manager}, subresource: status, fieldsV1: {"f:status": {"f:nominatedNodeName": {}}}}]
spec:
  containers: [{name: main, image: app, resources: {requests: {cpu: "1"}}}]
status:
  phase: Pending
  nominatedNodeName: n1
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]
`

test.each([
  ['kube-scheduler', 'Preempting'],
  ['karpenter', 'WouldLaunch'],
])('a pod that %s nominated is told %s', async (manager, code) => {
  const { reasons } = await explained(`${world}${nominated(manager)}`, 'nominated')
  expect(reasons[0]).toMatchObject({ code })
})

test('a pod that was nominated for one of several nodes is told that one', async () => {
  const node = (name: string): string => `---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {karpenter.sh/nodepool: general, karpenter.sh/registered: "true", karpenter.sh/initialized: "true"}}
spec: {providerID: "aws:///zone-a/${name}"}
status:
  capacity: {cpu: "8", memory: 16Gi, pods: "20"}
  allocatable: {cpu: "8", memory: 16Gi, pods: "20"}
  conditions: [{type: Ready, status: "True"}]
`
  const among = async (...names: readonly string[]): Promise<string> =>
    (await explained(`${world}${names.map(node).join('')}${nominated('karpenter')}`, 'nominated')).summary
  expect(await among('n0', 'n1')).toBe('The pod fits node n1, no new node is needed.')
  expect(await among('n0', 'n2')).toBe('The pod fits node n0, no new node is needed.')
})

test('a pod of a cluster that no scheduler has seen yet gets no node, unlike one that is only a manifest', async () => {
  const written = pod('odd')
  const stored = written
    .replace('{name: odd}', '{name: odd, uid: u-1, resourceVersion: "7"}')
    .replace('spec:', 'status: {phase: Pending}\nspec:\n  schedulerName: nobody')
  const { summary, reasons } = await explained(`${world}${stored}`, 'odd')
  expect(summary).toBe('No node is made for this pod.')
  expect(reasons).toMatchObject([{ code: 'NotYetUnschedulable', help: expect.stringContaining('schedulerName') }])
  expect((await explained(`${world}${written}`, 'odd')).reasons).toMatchObject([{ code: 'WouldLaunch' }])
})
