import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bufferManifest } from '../../../support/buffer-manifest.ts'
import { catalogManifest } from '../../../support/catalog-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

const read = (name: string): string => readFileSync(join(import.meta.dirname, 'input', name), 'utf8')
const catalogue = `---\n${read('catalogue.yaml')}`
const fleet = read('fleet.yaml')

interface Answer {
  readonly nodeClaims: readonly {
    readonly instanceTypes: readonly string[]
    readonly pods: readonly string[]
    price: number
  }[]
  readonly existing: readonly { readonly node: string; readonly pods: readonly string[] }[]
  readonly unschedulable: readonly {
    readonly pod: string
    readonly reasons: readonly { nodePool: string; message: string }[]
  }[]
  readonly disruption?: {
    readonly commands: readonly {
      readonly reason: string
      readonly method: string
      readonly candidates: readonly string[]
      readonly replacements: readonly { readonly instanceTypes: readonly string[] }[]
      readonly savingsPerHour: number
    }[]
    readonly blocked: readonly { readonly node: string; readonly reason: string }[]
  }
}

const pod = (name: string, cpu: string, more = ''): string => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default${more === '' ? '' : ', ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u9, controller: true}]'}}
spec:
  containers: [{name: c, image: x, resources: {requests: {cpu: "${cpu}"}}}]
${more}`

const running = (name: string, cpu: string): string => pod(name, cpu, '  nodeName: n1\nstatus: {phase: Running}\n')

async function simulate(input: string, ...flags: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await runCommand(['simulate', '-f', '-', '-o', 'json', ...flags], { stdin: input })
  expect(stderr).toBe('')
  expect(code).toBe(0)
  return JSON.parse(stdout) as Answer
}

test('the price of the new nodes stands beside what such pods cost at least, however it is printed', async () => {
  const stdin = catalogue + pod('a', '500m')
  const { cost } = (await simulate(stdin)) as Answer & { cost: { pricePerHour: number; lowerBound: number } }
  expect(cost.pricePerHour).toBe(0.1)
  expect(cost.lowerBound).toBeGreaterThan(0)
  expect(cost.lowerBound).toBeLessThanOrEqual(0.1)
  const text = async (input: string) => (await runCommand(['simulate', '-'], { stdin: input })).stdout
  expect(await text(stdin)).toContain(`for 1 pod(s) at $0.1000/h (lower bound $${cost.lowerBound.toFixed(4)}/h), `)
  expect(await text(catalogue)).toContain('0 new node(s) for 0 pod(s) at $0.0000/h, ')
})

test('a pending pod gets the cheapest type that fits; one that fits none is told why, by pool', async () => {
  const answer = await simulate(catalogue + pod('a', '500m') + pod('huge', '50'))
  expect(answer.nodeClaims).toMatchObject([{ instanceTypes: ['small', 'big'], pods: ['default/a'], price: 0.1 }])
  const [unschedulable] = answer.unschedulable
  expect(unschedulable?.pod).toBe('default/huge')
  expect(unschedulable?.reasons).toEqual([
    { nodePool: 'default', message: expect.stringContaining('no instance type has enough resources') },
  ])
})

test('a node that is there is used before a new one is opened', async () => {
  const answer = await simulate(catalogue + fleet + pod('a', '500m'))
  expect(answer).toMatchObject({ nodeClaims: [], existing: [{ node: 'n1', pods: ['default/a'] }], unschedulable: [] })
})

test('--disrupt deletes an empty node, and replaces one whose pods a cheaper type would hold', async () => {
  const now = ['--now', '2026-06-02T00:00:00Z', '--disrupt']
  const empty = await simulate(catalogue + fleet, ...now)
  expect(empty.disruption?.commands).toMatchObject([
    { reason: 'Empty', method: 'emptiness', candidates: ['n1'], replacements: [], savingsPerHour: 0.35 },
  ])
  const underused = await simulate(catalogue + fleet + running('run', '500m'), ...now)
  expect(underused.disruption?.commands).toMatchObject([
    { reason: 'Underutilized', method: 'singleNode', candidates: ['n1'], replacements: [{ instanceTypes: ['small'] }] },
  ])
})

test.each([
  ['arm64', [['small']]],
  ['amd64', []],
])('--disrupt counts on a cheaper type for arm64 where the class has an image for %s', async (architecture, onto) => {
  const nodeClass = `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec: {role: r, amiFamily: AL2023, amiSelectorTerms: [{id: ami-1}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}
status:
  amis: [{id: ami-1, requirements: [{key: kubernetes.io/arch, operator: In, values: [${architecture}]}]}]
  conditions: [{type: Ready, status: "True", reason: Ready, message: "", lastTransitionTime: "2026-06-01T00:00:00Z"}]
`
  const graviton = catalogue.replace('values: [amd64]', 'values: [arm64]')
  const now = ['--now', '2026-06-02T00:00:00Z', '--disrupt']
  const { disruption } = await simulate(graviton + nodeClass + fleet + running('run', '500m'), ...now)
  expect(disruption?.commands.map(({ replacements }) => replacements[0]?.instanceTypes)).toEqual(onto)
})

test('--disrupt says of a drifted node whose replacement costs more how much', async () => {
  const drifted = fleet
    .replaceAll('instance-type: big', 'instance-type: small')
    .replace('type: Consolidatable', 'type: Drifted')
  const onlyBig = catalogue.replace(
    '      requirements: []',
    '      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [big]}]',
  )
  const args = ['simulate', '-', '--disrupt', '--now', '2026-06-02T00:00:00Z']
  const { stdout } = await runCommand(args, { stdin: onlyBig + drifted + running('run', '500m') })
  expect(stdout).toContain('Drifted (drift): replace by big, $0.35/h')
  expect(stdout).toContain('n1; costs $0.2500/h more')
})

test.each([
  ['1', [], ['NodeLimit']],
  ['2', [['n1']], []],
])('--disrupt of a drifted node of a static pool of one, with room for %s', async (limit, going, held) => {
  const pool = catalogue.replace(/(kind: NodePool\n[^]*?spec:\n)/, `$1  replicas: 1\n  limits: {nodes: "${limit}"}\n`)
  const drifted = fleet.replace('type: Consolidatable', 'type: Drifted')
  const answer = await simulate(pool + drifted, '--now', '2026-06-02T00:00:00Z', '--disrupt')
  expect(answer.disruption?.commands.map(({ candidates }) => candidates)).toEqual(going)
  expect(answer.disruption?.blocked.map(({ reason }) => reason)).toEqual(held)
})

test('--disrupt says why a node is left alone', async () => {
  const kept = running('run', '500m').replace(
    'name: run,',
    'name: run, annotations: {karpenter.sh/do-not-disrupt: "true"},',
  )
  const answer = await simulate(catalogue + fleet + kept, '--now', '2026-06-02T00:00:00Z', '--disrupt')
  expect(answer.disruption?.commands).toEqual([])
  expect(answer.disruption?.blocked.map(({ node }) => node)).toContain('n1')
})

test('--disrupt leaves the room alone that a capacity buffer holds', async () => {
  const buffer = bufferManifest('default', '1', 1)
  const now = ['--now', '2026-06-02T00:00:00Z', '--disrupt']
  const gate = ['--feature-gates', 'CapacityBuffer=true']
  const held = await simulate(catalogue + fleet + buffer, ...now, ...gate)
  expect(held.disruption?.commands).toEqual([])
  expect(held.disruption?.blocked).toContainEqual(expect.objectContaining({ node: 'n1', reason: 'BufferPods' }))
  const ungated = await simulate(catalogue + fleet + buffer, ...now, '--feature-gates', 'CapacityBuffer=false')
  expect(ungated.disruption?.commands).toMatchObject([{ reason: 'Empty', candidates: ['n1'] }])
})

test.each([
  ['apps', []],
  ['example.com', [['n1']]],
])('--disrupt counts in the room of a buffer for a Deployment of %s as the operator does', async (group, going) => {
  const deployment = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: x}]}}
---
apiVersion: autoscaling.x-k8s.io/v1beta1
kind: CapacityBuffer
metadata: {name: spare}
spec: {scalableRef: {apiGroup: ${group}, kind: Deployment, name: web}, replicas: 1}
`
  const now = ['--now', '2026-06-02T00:00:00Z', '--disrupt']
  const answer = await simulate(catalogue + fleet + deployment, ...now, '--feature-gates', 'CapacityBuffer=true')
  expect(answer.disruption?.commands.map(({ candidates }) => candidates)).toEqual(going)
})

test.each([
  [
    'a Deployment alone',
    '',
    'warning: none of the 3 pods that workloads of the input would create waits: see --expand\n',
  ],
  [
    'pods beside it, as in a snapshot',
    '---\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n',
    '',
  ],
])('without --expand it is said that nothing waits: %s', async (_name, more, want) => {
  const deployment = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c, image: x}]}}
`
  const { stderr } = await runCommand(['simulate', '-'], { stdin: catalogue + deployment + more })
  expect(stderr).toBe(want)
})

test('more pods than a cluster holds are not made, but told, whether one workload asks for them or two', async () => {
  const deployment = (name: string, replicas: number): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec: {containers: [{name: c, image: x}]}
`
  for (const [stdin, replicas] of [
    [deployment('web', 2_000_000_000), 2_000_000_000],
    [deployment('api', 1) + deployment('web', 150_000), 150_000],
  ] as const)
    expect(await runCommand(['simulate', '-', '--expand'], { stdin })).toEqual({
      code: 1,
      stdout: '',
      stderr: `Deployment default/web spec.replicas: ${replicas} makes more pods in all than a cluster holds, 150000\n`,
    })
})

test('--expand makes the pods a Deployment would still create', async () => {
  const deployment = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: x, resources: {requests: {cpu: 500m}}}]}
`
  const expanded = await simulate(catalogue + deployment, '--expand')
  expect(expanded.nodeClaims.flatMap(({ pods }) => pods)).toEqual(['default/web-0', 'default/web-1', 'default/web-2'])
})

test('what has a limit and no request is requested, as the API server will have it', async () => {
  const limited = pod('a', '500m').replace('requests:', 'limits:').replace('500m', '4')
  const answer = await simulate(catalogue + limited)
  expect(answer.nodeClaims).toMatchObject([{ instanceTypes: ['big'], pods: ['default/a'] }])
})

test('the same objects in another order give the same bytes', async () => {
  const documents = [catalogue, fleet, pod('a', '3'), pod('b', '1'), running('c', '1')]
  const one = await runCommand(['simulate', '-f', '-', '-o', 'json'], { stdin: documents.join('') })
  const two = await runCommand(['simulate', '-f', '-', '-o', 'json'], { stdin: documents.toReversed().join('') })
  expect(two.stdout).toBe(one.stdout)
})

test('every problem of every document is one line with its place, and nothing is decided', async () => {
  const bad = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      requirements: [{key: a, operator: Foo}]
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
---
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers: [{name: c, resources: {requests: {cpu: 5x}}}]
---
apiVersion: v1
kind: Pod
  bad: x
`
  const { code, stdout, stderr } = await runCommand(['simulate', '-f', '-'], { stdin: bad })
  expect(code).toBe(1)
  expect(stdout).toBe('')
  const lines = stderr.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^\S+:7:31 NodePool\/default spec\.template\.spec\.requirements\[0\]\.operator: .*"Foo"/)
  expect(lines[1]).toMatch(/^\S+:14:49 Pod\/a spec\.containers\[0\]\.resources\.requests\.cpu: .*"5x"/)
  expect(lines[2]).toMatch(/^-:17:7: /)
})

const threeTypes = catalogue.replace(
  'requirements: []\n      nodeClassRef',
  'requirements: [{key: kubernetes.io/arch, operator: Exists, minValues: 3}]\n      nodeClassRef',
)
const prefersBig = pod(
  'a',
  '500m',
  `  affinity:
    nodeAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 1
        preference: {matchExpressions: [{key: node.kubernetes.io/instance-type, operator: In, values: [big]}]}
`,
)
const overlay = `---
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: {name: cheap}
spec: {requirements: [], price: "0.01"}
`

/** What the pod gets: cheapest price and types, by the flags. */
const settings: Record<string, { input: string; flags: string[]; without: unknown; want: unknown }> = {
  '--min-values-policy': {
    input: threeTypes + pod('a', '500m'),
    flags: ['--min-values-policy', 'BestEffort'],
    without: [],
    want: [[0.1, ['small', 'big']]],
  },
  '--preference-policy': {
    input: catalogue + prefersBig,
    flags: ['--preference-policy', 'Ignore'],
    without: [[0.35, ['big']]],
    want: [[0.1, ['small', 'big']]],
  },
  '--feature-gates': {
    input: catalogue + overlay + pod('a', '500m'),
    flags: ['--feature-gates', 'NodeOverlay=true'],
    without: [[0.1, ['small', 'big']]],
    want: [[0.01, ['big', 'small']]],
  },
}

test.each(Object.entries(settings))('%s counts as it does for the operator', async (_name, each) => {
  const got = async (...flags: string[]): Promise<unknown> =>
    (await simulate(each.input, ...flags)).nodeClaims.map(({ price, instanceTypes }) => [price, instanceTypes])
  expect(await got('--feature-gates', 'NodeOverlay=false')).toEqual(each.without)
  expect(await got(...each.flags)).toEqual(each.want)
})

test.each(['NodeOverlay=perhaps', 'NodeOverlays=true'])(
  'a feature gate that cannot be read, or that there is not, is a mistake of usage: %s',
  async (gates) => {
    const { code, stdout } = await runCommand(['simulate', '-f', '-', '--feature-gates', gates])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  },
)

test('an unknown flag is answered with the usage and 2', async () => {
  const { code, stderr } = await runCommand(['simulate', '--nope'])
  expect(code).toBe(2)
  expect(stderr).toContain("unknown option '--nope'")
  expect(stderr).toContain('Usage: joinery simulate')
})

test('without a catalogue of its own the built-in one of the region is used', async () => {
  const examples = join(import.meta.dirname, '../../../../manifests/examples')
  const { code, stdout } = await runCommand(['simulate', examples, '--expand', '-o', 'json'])
  expect(code).toBe(0)
  const answer = JSON.parse(stdout) as Answer
  expect(answer.nodeClaims).toHaveLength(1)
  expect(answer.nodeClaims[0]?.instanceTypes.length).toBeGreaterThan(100)
  expect(answer.nodeClaims[0]?.pods).toHaveLength(8)
})

test('resource claims are allocated from what the catalogue says of its types, and from slices in the input', async () => {
  const deviceTemplates = `    deviceTemplates:
      - driver: gpu.example.com
        devices: [{name: gpu-0, capacity: {memory: {value: 40Gi}}}]
`
  const accelerated = { name: 'accelerated', cpu: '8', memory: '32Gi', price: 3, more: deviceTemplates }
  const devices = `${catalogManifest('devices', [accelerated])}---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: small}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 30Gi}}}}]}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: large}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, capacity: {requests: {memory: 80Gi}}}}]}}
`
  const uses = (name: string): string =>
    `${pod(name, '1')}  resourceClaims: [{name: gpu, resourceClaimName: ${name}}]\n`
  const world = catalogue + devices + uses('small') + uses('large')
  const looked = await simulate(world, '--ignore-dra-requests=false')
  expect(looked.nodeClaims).toMatchObject([{ instanceTypes: ['accelerated'], pods: ['default/small'] }])
  expect(looked.unschedulable).toEqual([
    {
      pod: 'default/large',
      reasons: [
        {
          nodePool: 'default',
          message: 'allocating dynamic resources, no instance type can satisfy the allocation',
        },
      ],
    },
  ])
  expect((await simulate(world)).unschedulable).toHaveLength(2)
})
