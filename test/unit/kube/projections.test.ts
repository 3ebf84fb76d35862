import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KubeObject, Pod } from '../../../src/api/kubernetes.ts'
import { Interner } from '../../../src/kube/interner.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { projectionOf } from '../../../src/kube/projections.ts'
import { toPodInfo } from '../../../src/model/to-pod-info.ts'

const at = '2026-01-01T00:00:00Z'

/** As a kubelet and an API server leave it, with all that nobody here reads. */
function aRunningPod(name: string): Pod {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: 'app-',
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '7',
      creationTimestamp: at,
      labels: { app: 'app', 'pod-template-hash': '1' },
      annotations: { 'karpenter.sh/do-not-disrupt': '30m', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app', uid: 'rs', controller: true }],
      managedFields: [{ manager: 'kubelet' }],
    },
    spec: {
      nodeName: 'n1',
      serviceAccountName: 'default',
      dnsPolicy: 'ClusterFirst',
      securityContext: { runAsNonRoot: true },
      priority: 5,
      terminationGracePeriodSeconds: 30,
      tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }],
      containers: [
        {
          name: 'app',
          image: 'registry.example/app:1',
          env: [{ name: 'MODE', value: 'production' }],
          ports: [{ containerPort: 80, hostPort: 8080 }],
          resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { memory: '1Gi' } },
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
          livenessProbe: { httpGet: { path: '/', port: 80 } },
        },
      ],
      volumes: [
        { name: 'kube-api-access', projected: { sources: [] } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
        { name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: {} } } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
    status: {
      phase: 'Running',
      startTime: at,
      podIP: '10.0.0.1',
      conditions: [
        { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: at },
        { type: 'PodScheduled', status: 'True', lastTransitionTime: at },
        { type: 'Ready', status: 'True', lastTransitionTime: at, message: 'long' },
      ],
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          restartCount: 3,
          image: 'registry.example/app:1',
          allocatedResources: { cpu: '200m', memory: '1Gi' },
          resources: { requests: { cpu: '200m', memory: '1Gi' } },
        },
        { name: 'other', ready: true },
      ],
    },
  }
  return pod as unknown as Pod
}

const projected = (pod: Pod): Pod => projectionOf(pods)(pod) as Pod

describe('of a pod', () => {
  test('is kept what decisions are made from, and nothing else', () => {
    const { metadata, spec, status } = projected(aRunningPod('a'))
    expect(Object.keys(metadata).toSorted()).toEqual([
      'annotations',
      'creationTimestamp',
      'labels',
      'name',
      'namespace',
      'ownerReferences',
      'resourceVersion',
      'uid',
    ])
    expect(metadata.annotations).toEqual({ 'karpenter.sh/do-not-disrupt': '30m' })
    expect(spec.volumes?.map(({ name }) => name)).toEqual(['data', 'scratch'])
    expect(spec.containers.map((container) => Object.keys(container).toSorted())).toEqual([
      ['name', 'ports', 'resources'],
    ])
    expect(status?.conditions).toEqual([
      { type: 'PodScheduled', status: 'True', lastTransitionTime: at },
      { type: 'Ready', status: 'True', lastTransitionTime: at },
    ])
    expect(status?.containerStatuses?.map(({ name }) => name)).toEqual(['app'])
    expect(status).not.toHaveProperty('podIP')
  })

  test('is kept why it has no place, once for all pods that have none for the same reason', () => {
    const message = `0/3 nodes are available: ${'no room, '.repeat(200)}`
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      lastTransitionTime: at,
      message,
    }
    const waiting = { ...aRunningPod('a'), status: { phase: 'Pending', conditions: [condition] } } as unknown as Pod
    const [kept] = projected(waiting).status?.conditions ?? []
    expect(kept).toEqual({ ...condition, message: message.slice(0, 800) })
  })

  test('the pods of a workload share what they have in common', () => {
    const project = projectionOf(pods)
    const [one, other] = [project(aRunningPod('a')) as Pod, project(aRunningPod('b')) as Pod]
    expect(other.metadata.labels).toBe(one.metadata.labels)
    expect(other.metadata.ownerReferences).toBe(one.metadata.ownerReferences)
    expect(other.spec.containers).toBe(one.spec.containers)
    expect(other.spec.tolerations).toBe(one.spec.tolerations)
    expect(other.metadata.name).toBe('b')
  })

  test('what was read is not changed', () => {
    const pod = aRunningPod('a')
    projected(pod)
    expect(pod).toEqual(aRunningPod('a'))
  })

  const text = fc.constantFrom('a', 'b', 'karpenter.sh/do-not-disrupt', 'true', '')
  const texts = fc.dictionary(text, text, { maxKeys: 3 })
  const amounts = fc.dictionary(fc.constantFrom('cpu', 'memory', 'nvidia.com/gpu'), fc.constantFrom('1', '2', '500m'))
  const resources = fc.record(
    { requests: amounts, limits: amounts, claims: fc.constant([{ name: 'gpu' }]) },
    { requiredKeys: [] },
  )
  const ports = fc.array(
    fc.record({ hostPort: fc.nat(3), hostIP: text, protocol: fc.constant('UDP') }, { requiredKeys: [] }),
  )
  // Names are unique within a pod.
  const containers = (...names: readonly string[]) =>
    fc.uniqueArray(
      fc.record(
        { name: fc.constantFrom(...names), image: text, resources, restartPolicy: fc.constant('Always'), ports },
        { requiredKeys: ['name'] },
      ),
      { selector: ({ name }) => name, minLength: 1 },
    )
  const condition = fc.record(
    {
      type: fc.constantFrom('PodScheduled', 'Ready', 'PodResizePending', 'Initialized'),
      status: fc.constantFrom('True', 'False'),
      reason: fc.constantFrom('Unschedulable', 'Infeasible', 'Other'),
      message: text,
    },
    { requiredKeys: ['type', 'status'] },
  )
  const statuses = (...names: readonly string[]) =>
    fc.uniqueArray(
      fc.record(
        { name: fc.constantFrom(...names), ready: fc.boolean(), resources, allocatedResources: amounts },
        { requiredKeys: ['name'] },
      ),
      { selector: ({ name }) => name },
    )
  const volume = fc.record(
    {
      name: text,
      persistentVolumeClaim: fc.constant({ claimName: 'c' }),
      ephemeral: fc.constant({}),
      emptyDir: fc.constant({}),
    },
    { requiredKeys: ['name'] },
  )
  const anyPod = fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('Pod'),
    metadata: fc.record(
      {
        name: fc.constantFrom('p', 'q'),
        namespace: text,
        uid: text,
        resourceVersion: text,
        creationTimestamp: fc.constant(at),
        deletionTimestamp: fc.constant(at),
        labels: texts,
        annotations: texts,
        ownerReferences: fc.array(
          fc.record({ apiVersion: text, kind: text, name: text, uid: text, controller: fc.boolean() }),
        ),
        managedFields: fc.constant([{}]),
      },
      { requiredKeys: ['name', 'uid', 'resourceVersion', 'creationTimestamp'] },
    ),
    spec: fc.record(
      {
        containers: containers('app', 'sidecar'),
        initContainers: containers('init', 'setup'),
        nodeName: text,
        priority: fc.nat(),
        priorityClassName: text,
        nodeSelector: texts,
        affinity: fc.record({ nodeAffinity: fc.constant({}), podAntiAffinity: fc.constant({}) }, { requiredKeys: [] }),
        tolerations: fc.array(fc.record({ key: text, operator: fc.constant('Exists'), tolerationSeconds: fc.nat() })),
        topologySpreadConstraints: fc.array(fc.record({ maxSkew: fc.nat(), topologyKey: text })),
        volumes: fc.array(volume, { maxLength: 3 }),
        overhead: amounts,
        resources,
        resourceClaims: fc.array(fc.record({ name: text, resourceClaimName: text }, { requiredKeys: ['name'] })),
        terminationGracePeriodSeconds: fc.nat(),
        serviceAccountName: text,
      },
      { requiredKeys: ['containers'] },
    ),
    status: fc.option(
      fc.record(
        {
          phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
          conditions: fc.array(condition, { maxLength: 4 }),
          nominatedNodeName: text,
          startTime: fc.constant(at),
          resize: fc.constantFrom('Infeasible', 'Proposed'),
          containerStatuses: statuses('app', 'sidecar'),
          initContainerStatuses: statuses('init', 'setup'),
          resourceClaimStatuses: fc.array(
            fc.record({ name: text, resourceClaimName: text }, { requiredKeys: ['name'] }),
          ),
          podIP: text,
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
  })

  test('whatever it is, the core sees the same pod before and after', () => {
    fc.assert(
      fc.property(fc.array(anyPod, { minLength: 1, maxLength: 4 }), (all) => {
        const project = projectionOf(pods)
        for (const pod of all as unknown as readonly Pod[]) {
          expect(toPodInfo(project(pod) as Pod)).toEqual(toPodInfo(pod))
        }
      }),
      { numRuns: 300 },
    )
  })
})

test('of a workload the template is kept as a pod is', () => {
  const { metadata, spec } = aRunningPod('a')
  const { labels = {} } = metadata
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { selector: {}, template: { metadata: { labels }, spec } },
  } as unknown as KubeObject
  const kept = projectionOf(deployments)(deployment) as typeof deployment & { spec: { template: Pod } }
  expect(kept.spec.template.metadata.labels).toEqual(labels)
  expect(Object.keys(kept.spec.template.spec.containers[0] ?? {})).not.toContain('env')
})

test('an interner forgets rather than grow without bound, and never confuses values', () => {
  const interner = new Interner()
  const first = interner.intern({ a: 0 })
  expect(interner.intern({ a: 0 })).toBe(first)
  for (let a = 1; a <= 10_000; a += 1) expect(interner.intern({ a })).toEqual({ a })
  const again = interner.intern({ a: 0 })
  expect(again).toEqual(first)
  expect(again).not.toBe(first)
})
