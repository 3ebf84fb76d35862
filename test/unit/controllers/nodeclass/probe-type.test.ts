import { describe, expect, test } from 'vitest'
import { probeType } from '../../../../src/controllers/nodeclass/validation/probe-type.ts'
import type { EC2NodeClass, NodePool } from '../../../../src/api/karpenter.ts'
import { aNodeClass, anAWSWorld, archIs, aWebPool, typeIn } from '../../../support/aws-world.ts'

const gpuCount = 'karpenter.k8s.aws/instance-gpu-count'
const forGPUs = { id: 'ami-gpu', name: 'gpu', requirements: [{ key: gpuCount, operator: 'Exists' }, archIs('amd64')] }
const plain = {
  id: 'ami-plain',
  name: 'plain',
  requirements: [{ key: gpuCount, operator: 'DoesNotExist' }, archIs('amd64')],
}
const withImages = (...amis: (typeof plain)[]) => aNodeClass({}, { status: { amis } })
const windows = aNodeClass({ amiSelectorTerms: [{ id: 'ami-amd' }], amiFamily: 'Windows2022' })

interface Case {
  readonly types: readonly string[]
  readonly nodeClass?: EC2NodeClass
  readonly pools?: readonly NodePool[]
  readonly want: string | undefined
}

const cases: Record<string, Case> = {
  'one of modest size while no pool uses the class': { types: ['c5.large', 'm5.large', 'm6g.large'], want: 'm5.large' },
  'the one of modest size that an image fits': {
    types: ['c5.large', 'm5.large', 'm6g.large'],
    nodeClass: withImages({ ...plain, requirements: [archIs('arm64')] }),
    want: 'm6g.large',
  },
  'any where no modest one is on offer': { types: ['c5.large', 't3.large'], want: 'c5.large' },
  'one that a pool of the class could launch': {
    types: ['c5.large', 'm5.large', 't3.large'],
    pools: [aWebPool([typeIn('t3.large')])],
    want: 't3.large',
  },
  'one that any of its pools could launch': {
    types: ['c5.large', 'm5.large', 't3.large'],
    pools: [aWebPool([typeIn('x1.16xlarge')]), aWebPool([typeIn('t3.large')])],
    want: 't3.large',
  },
  'a modest one for Windows, whatever its pools launch': {
    types: ['c5.large', 'm5.large'],
    nodeClass: windows,
    pools: [aWebPool([typeIn('c5.large')])],
    want: 'm5.large',
  },
  'none that the class cannot use, such as the first Graviton with AL2023': {
    types: ['a1.large', 'm6g.large'],
    pools: [aWebPool([typeIn('a1.large', 'm6g.large')])],
    want: 'm6g.large',
  },
  'one without GPUs before one with, if images for both are there': {
    types: ['g4dn.8xlarge', 'm5.large'],
    nodeClass: withImages(forGPUs, plain),
    pools: [aWebPool()],
    want: 'm5.large',
  },
  'one with GPUs if the pools launch no others': {
    types: ['g4dn.8xlarge', 'm5.large'],
    nodeClass: withImages(forGPUs, plain),
    pools: [aWebPool([typeIn('g4dn.8xlarge')])],
    want: 'g4dn.8xlarge',
  },
  'none if no image fits any': { types: ['m5.large'], nodeClass: withImages(forGPUs), want: undefined },
}

describe('the type that a class is tried with', () => {
  test.each(Object.entries(cases))('is %s', async (_name, { types, nodeClass = aNodeClass(), pools = [], want }) => {
    const { cloud } = await anAWSWorld({ types })
    expect(probeType(nodeClass, pools, cloud)?.name).toBe(want)
  })
})
