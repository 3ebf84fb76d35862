import { expect, test } from 'vitest'
import {
  allocated,
  aRequest,
  aResourceClaim,
  aSlice,
  deviceObjects,
  devices,
  driver,
} from '../../../support/device-objects.ts'
import { gpu2, plain } from '../../../support/device-types.ts'
import { aNode, aPod } from '../../../support/scheduling-world.ts'
import { solveWorld, typesOn } from '../../../support/solving.ts'

/** What new nodes will bring is learned from nodes of the same type. */

const settings = { ignoreDRA: false }
const annotation = 'karpenter.sh/requested-dra-drivers'
const wanting = { resourceClaims: [{ name: 'a', resourceClaimName: 'a' }] }
const onType = (name: string) => ({ pool: 'np', labels: { 'node.kubernetes.io/instance-type': name } })

test('what a node has published, new nodes of its type will bring, too', () => {
  const node = aNode({ name: 'n1', ...onType('plain') })
  const taken = aResourceClaim('b', { allocation: allocated('n1', 'gpu-0'), reservedFor: ['somebody'] })
  const placement = solveWorld(
    {
      types: [plain],
      nodes: [node],
      pods: [aPod(wanting)],
      devices: deviceObjects([aResourceClaim('a'), taken], [aSlice('n1', devices(1), { nodeName: 'n1' })]),
    },
    { settings },
  )
  expect(typesOn(placement.newNodePlans[0])).toEqual(['plain'])
  expect(placement.newNodePlans[0]?.annotations[annotation]).toBe(driver)
})

const newest = { name: 'n1', generation: 2 }
const broken = { taints: [{ key: 'broken', effect: 'NoExecute' }] }
const part = { consumesCounters: [{ counterSet: 'set', counters: { memory: { value: '20Gi' } } }] }
/** Three parts of twenty, of a device of forty. */
const partitioned = [
  aSlice('counters', [], {
    nodeName: 'n1',
    pool: { name: 'n1', resourceSliceCount: 2 },
    sharedCounters: [{ name: 'set', counters: { memory: { value: '40Gi' } } }],
  }),
  aSlice('parts', devices(3, part), { nodeName: 'n1', pool: { name: 'n1', resourceSliceCount: 2 } }),
]
const learning: Record<string, { slices: ReturnType<typeof aSlice>[]; count: number; want: readonly string[] }> = {
  'as many as it has': { slices: [aSlice('n1', devices(2), { nodeName: 'n1' })], count: 2, want: ['plain'] },
  'not more than it has': { slices: [aSlice('n1', devices(2), { nodeName: 'n1' })], count: 3, want: [] },
  'not those of the generation before': {
    slices: [
      aSlice('old', devices(2, {}, 'old'), { nodeName: 'n1', pool: { name: 'n1' } }),
      aSlice('new', devices(1, {}, 'new'), { nodeName: 'n1', pool: newest }),
    ],
    count: 2,
    want: [],
  },
  'not those of a pool that is still being published': {
    slices: [aSlice('n1', devices(2), { nodeName: 'n1', pool: { resourceSliceCount: 2 } })],
    count: 1,
    want: [],
  },
  'not more parts than its counters allow': {
    slices: partitioned,
    count: 3,
    want: [],
  },
  'and as many parts as they allow': {
    slices: partitioned,
    count: 2,
    want: ['plain'],
  },
  'what a node without broken devices has, rather than the first': {
    slices: ['n1', 'n2'].map((name) =>
      aSlice(name, devices(2, name === 'n1' ? broken : {}), { nodeName: name, pool: { name } }),
    ),
    count: 2,
    want: ['plain'],
  },
  'what the first has where others are broken': {
    slices: ['n1', 'n2'].map((name) =>
      aSlice(name, devices(2, name === 'n2' ? broken : {}), { nodeName: name, pool: { name } }),
    ),
    count: 2,
    want: ['plain'],
  },
  'nothing where all are broken': {
    slices: ['n1', 'n2'].map((name) => aSlice(name, devices(2, broken), { nodeName: name, pool: { name } })),
    count: 2,
    want: [],
  },
}
test.each(Object.entries(learning))('new nodes bring %s', (_name, { slices, count, want }) => {
  const placement = solveWorld(
    {
      types: [plain],
      nodes: ['n1', 'n2'].map((name) => aNode({ name, ...onType('plain') })),
      // Too large for the nodes that are there.
      pods: [aPod({ requests: { cpu: '6' }, ...wanting })],
      devices: deviceObjects([aResourceClaim('a', { requests: [aRequest({ count })] })], slices),
    },
    { settings },
  )
  expect(placement.newNodePlans.flatMap(typesOn)).toEqual(want)
})

test('of a type that says itself what it has, nodes tell nothing', () => {
  const placement = solveWorld(
    {
      types: [gpu2],
      nodes: [aNode({ name: 'n1', ...onType('gpu2') })],
      pods: [aPod({ requests: { cpu: '6' }, ...wanting })],
      devices: deviceObjects(
        [aResourceClaim('a', { requests: [aRequest({ count: 3 })] })],
        [aSlice('n1', devices(3), { nodeName: 'n1' })],
      ),
    },
    { settings },
  )
  expect(placement.newNodePlans).toEqual([])
})
