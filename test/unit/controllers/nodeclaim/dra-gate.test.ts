import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { ResourceSlice } from '../../../../src/api/kubernetes.ts'
import { firstMissingDriver } from '../../../../src/controllers/nodeclaim/dra-gate.ts'
import { nodeNameOf } from '../../../../src/model/resource-slices.ts'
import { nodeClaimLifecycle } from '../../../../src/controllers/nodeclaim/index.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, resourceSlices } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, conditionOf, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

function aSlice(
  driver: string,
  pool: string,
  [generation, count]: readonly [number, number],
  index = 0,
): ResourceSlice {
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: {
      name: `${driver}-${pool}-${generation}-${index}`,
      uid: '',
      resourceVersion: '',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { driver, nodeName: 'n1', pool: { name: pool, generation, resourceSliceCount: count } },
  }
}

const wanting = (drivers: string) =>
  aClaim('c1', { metadata: { annotations: { 'karpenter.sh/requested-dra-drivers': drivers } } }) as NodeClaim

const cases: Record<string, { drivers: string; slices: readonly ResourceSlice[]; want: string | undefined }> = {
  'nothing is wanted': { drivers: '', slices: [], want: undefined },
  'nothing is published': { drivers: 'gpu', slices: [], want: 'gpu' },
  'a complete pool': { drivers: 'gpu', slices: [aSlice('gpu', 'p', [1, 1])], want: undefined },
  'a slice is missing': { drivers: 'gpu', slices: [aSlice('gpu', 'p', [1, 2])], want: 'gpu' },
  'only the newest generation counts': {
    drivers: 'gpu',
    slices: [aSlice('gpu', 'p', [1, 1]), aSlice('gpu', 'p', [2, 2])],
    want: 'gpu',
  },
  'one complete pool is enough': {
    drivers: 'gpu',
    slices: [aSlice('gpu', 'p', [1, 2]), aSlice('gpu', 'q', [1, 1])],
    want: undefined,
  },
  'a pool that declares nothing is not complete': { drivers: 'gpu', slices: [aSlice('gpu', 'p', [1, 0])], want: 'gpu' },
  'each driver needs one': { drivers: 'gpu,nic', slices: [aSlice('gpu', 'p', [1, 1])], want: 'nic' },
}
test.each(Object.entries(cases))('%s', (_name, { drivers, slices, want }) => {
  expect(firstMissingDriver(wanting(drivers), slices)).toBe(want)
})

test('a slice belongs to the node it names or is owned by, and to none when it is for all', () => {
  const slice = aSlice('gpu', 'p', [1, 1])
  const { nodeName: _name, ...spec } = slice.spec
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n2', uid: 'u' }
  expect(nodeNameOf(slice)).toBe('n1')
  expect(nodeNameOf({ ...slice, metadata: { ...slice.metadata, ownerReferences: [owner] }, spec })).toBe('n2')
  expect(nodeNameOf({ ...slice, spec: { ...spec, allNodes: true } })).toBeUndefined()
})

test('a claim waits for its drivers, when DRA is not ignored', async () => {
  const world = aControllerWorld()
  const health = { recordSuccess: async () => undefined, recordFailure: async () => undefined }
  await world.kube.create(nodeClaims, wanting('gpu'))
  await world.start(nodeClaimLifecycle({ ...world, health, ignoreDRARequests: false }))
  await world.run(2_000)
  await world.kube.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
  await world.run(5_000)
  const initialized = async () => conditionOf(await world.read(nodeClaims, { name: 'c1' }), 'Initialized')
  expect(await initialized()).toBe(
    'Unknown/DRADriverPoolsNotPublished/DRA driver "gpu" has not published a complete resource pool',
  )
  await world.kube.create(resourceSlices, aSlice('gpu', 'p', [1, 1]))
  await world.run(5_000)
  expect(await initialized()).toBe('True/Initialized/')
})
