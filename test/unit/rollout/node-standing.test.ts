import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { claimDrift, outdatedForClass, type Wanted } from '../../../src/rollout/node-standing.ts'
import { toRequirements } from '../../../src/model/requirements.ts'
import { aClaim, trueCondition } from '../../support/controller-builders.ts'

const wanted: Wanted = {
  pool: { hash: '2', version: 'v3' },
  nodeClass: { hash: '20', version: 'v6' },
  requirements: undefined,
  images: ['ami-new', 'ami-arm'],
}
interface Facts {
  readonly pool?: string
  readonly poolVersion?: string
  readonly nodeClass?: string
  readonly image?: string
  readonly drifted?: string
  readonly launched?: boolean
}
function claim(facts: Facts): NodeClaim {
  const { pool = '2', poolVersion = 'v3', nodeClass = '20', image = 'ami-new', drifted, launched = true } = facts
  return {
    ...aClaim('c', {
      status: {
        imageID: image,
        conditions: [
          ...(launched ? [trueCondition('Launched')] : []),
          ...(drifted === undefined ? [] : [{ ...trueCondition('Drifted'), reason: drifted }]),
        ],
      },
    }),
    metadata: {
      name: 'c',
      uid: 'uid-c',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      annotations: {
        'karpenter.sh/nodepool-hash': pool,
        'karpenter.sh/nodepool-hash-version': poolVersion,
        'karpenter.k8s.aws/ec2nodeclass-hash': nodeClass,
        'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
      },
    },
  }
}

const cases: readonly [string, Facts, ofPool: string | undefined, ofClass: string | undefined][] = [
  ['as it is wanted', {}, undefined, undefined],
  ['drifted, says its condition', { drifted: 'SubnetDrift' }, 'SubnetDrift', 'SubnetDrift'],
  ['drifted for its pool alone', { drifted: 'NodePoolDrifted' }, 'NodePoolDrifted', undefined],
  [
    'drifted for its pool, and its class changed as well',
    { drifted: 'NodePoolDrifted', pool: '1', nodeClass: '19' },
    'NodePoolDrifted',
    'NodeClassDrift',
  ],
  ['of an old template, before the condition says so', { pool: '1' }, 'NodePoolDrifted', undefined],
  ['hashed in another way, which cannot be compared', { pool: '1', poolVersion: 'v2' }, undefined, undefined],
  ['of an old class, before the condition says so', { nodeClass: '19' }, 'NodeClassDrift', 'NodeClassDrift'],
  ['of an old image, before the condition says so', { image: 'ami-old' }, 'AMIDrift', 'AMIDrift'],
  ['of an image that is wanted again, while the condition stays', { drifted: 'AMIDrift' }, undefined, 'AMIDrift'],
  [
    'of an old image, and drifted for something that counts as maintenance',
    { drifted: 'SoftExpired', image: 'ami-old' },
    'AMIDrift',
    'AMIDrift',
  ],
  ['not launched yet', { image: '', launched: false }, undefined, undefined],
]

test.each(cases)('a node that is %s', (_name, facts, ofPool, ofClass) => {
  expect(claimDrift(claim(facts), wanted)?.reason).toBe(ofPool)
  expect(outdatedForClass(claim(facts), wanted, { restartAt: undefined, generation: 1 })).toBe(ofClass)
})

describe('a node that drifted for a reason that hides those of its class', () => {
  const record = (generation: number, hash = '20') => ({
    'joinery.dev/nodeclass-hash-input': JSON.stringify({ generation, hash, input: {} }),
  })
  test.each<[string, Facts, Record<string, string>, string | undefined]>([
    ['is as the class wants it while that is as it was', { drifted: 'NodePoolDrifted' }, record(2), undefined],
    ['may not be, once the class was edited', { drifted: 'NodePoolDrifted' }, record(1), 'NodePoolDrifted'],
    ['nor one whose requirements hide it', { drifted: 'RequirementsDrifted' }, record(1), 'RequirementsDrifted'],
    ['nor one of which nothing is recorded', { drifted: 'NodePoolDrifted' }, {}, 'NodePoolDrifted'],
    ['nor one whose record is of another hash', { drifted: 'NodePoolDrifted' }, record(2, '19'), 'NodePoolDrifted'],
    ['is, where the class was asked before', { drifted: 'SoftExpired' }, record(1), undefined],
    ['is, where the class alone has been edited, and has not drifted', {}, record(1), undefined],
  ])('%s', (_name, facts, annotations, want) => {
    const made = claim(facts)
    const recorded = {
      ...made,
      metadata: { ...made.metadata, annotations: { ...made.metadata.annotations, ...annotations } },
    }
    expect(outdatedForClass(recorded, wanted, { restartAt: undefined, generation: 2 })).toBe(want)
  })
})

test('only what the condition alone tells is told with its time: nodes of one change drift one after the other', () => {
  const since = (facts: Facts) => claimDrift(claim(facts), wanted)?.since
  expect(since({ drifted: 'SubnetDrift' })).toBe(Date.parse(trueCondition('Drifted').lastTransitionTime))
  expect(since({ drifted: 'NodePoolDrifted', pool: '1' })).toBeUndefined()
  expect(since({ drifted: 'AMIDrift', image: 'ami-old' })).toBeUndefined()
})

test('while images are not resolved, the condition is believed', () => {
  expect(claimDrift(claim({ drifted: 'AMIDrift' }), { ...wanted, images: [] })?.reason).toBe('AMIDrift')
})

test('while images are not resolved, none is old', () => {
  expect(claimDrift(claim({ image: 'ami-old' }), { ...wanted, images: [] })?.reason).toBeUndefined()
})

describe('a class whose nodes are to be restarted', () => {
  test.each([
    ['2026-01-01T00:00:01Z', 'RestartRequested'],
    ['2026-01-01T00:00:00Z', undefined],
  ])('at %s wants those replaced that are older', (restartAt, want) => {
    expect(outdatedForClass(claim({}), wanted, { restartAt: Date.parse(restartAt), generation: 1 })).toBe(want)
  })
})

test('requirements that a label does not meet make a launched node outdated before the condition says so', () => {
  const requirements = (values: string[]) => ({
    requirements: toRequirements([{ key: 'size', operator: 'In', values }], new Map()),
    text: values.join(),
    aliases: new Map(),
  })
  const sized = (facts: Facts): NodeClaim => {
    const made = claim(facts)
    return { ...made, metadata: { ...made.metadata, labels: { size: 'xl' } } }
  }
  const one = sized({})
  expect(claimDrift(one, { ...wanted, requirements: requirements(['xl', 's']) })?.reason).toBeUndefined()
  expect(claimDrift(one, { ...wanted, requirements: requirements(['s']) })?.reason).toBe('RequirementsDrifted')
  expect(claimDrift(sized({ pool: '1' }), { ...wanted, requirements: requirements(['s']) })?.reason).toBe(
    'NodePoolDrifted',
  )
  // Its labels are those of the template still.
  expect(
    claimDrift(sized({ launched: false }), { ...wanted, requirements: requirements(['s']) })?.reason,
  ).toBeUndefined()
})
