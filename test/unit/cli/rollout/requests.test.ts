import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import { UsageError } from '../../../../src/cli/command-line.ts'
import { kubectlText } from '../../../../src/cli/rollout/annotate.ts'
import { parseReference, type Steered } from '../../../../src/cli/rollout/reference.ts'
import {
  approveRequest,
  pauseEnd,
  pauseRequest,
  restartRequest,
  resumeRequest,
  retireRequest,
  undoRequest,
} from '../../../../src/cli/rollout/requests.ts'

const now = Date.parse('2026-03-01T12:00:00.250Z')
const target = '123-0a0a0a0a'

function metadata(name: string, annotations: Record<string, string> = {}): NodePool['metadata'] {
  return { name, uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z', annotations }
}

function pool(status: NodePool['status'] = {}, annotations: Record<string, string> = {}, generation = 1): Steered {
  const object: NodePool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { ...metadata('general', annotations), generation },
    spec: {
      template: {
        spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'linux' }, requirements: [] },
      },
    },
    status,
  }
  return { kind: 'nodepool', name: 'general', object }
}

function nodeClass(status: NonNullable<EC2NodeClass['status']>): Steered {
  const object: EC2NodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: metadata('linux'),
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
    status,
  }
  return { kind: 'ec2nodeclass', name: 'linux', object }
}

function policy(pausedUntil?: string): Steered {
  const object: RolloutPolicy = {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: metadata('careful'),
    spec: { nodePoolSelector: {}, ...(pausedUntil === undefined ? {} : { pausedUntil }) },
  }
  return { kind: 'rolloutpolicy', name: 'careful', object }
}

describe('references', () => {
  const said: [first: string, second: string | undefined, kind: string, name: string][] = [
    ['general', undefined, 'nodepool', 'general'],
    ['nodepool', undefined, 'nodepool', 'nodepool'],
    ['nodepool/general', undefined, 'nodepool', 'general'],
    ['NodePool/general', undefined, 'nodepool', 'general'],
    ['nodepool', 'general', 'nodepool', 'general'],
    ['NodePools.karpenter.sh', 'general', 'nodepool', 'general'],
    ['ec2nodeclasses.karpenter.k8s.aws/linux', undefined, 'ec2nodeclass', 'linux'],
    ['ec2nc', 'linux', 'ec2nodeclass', 'linux'],
    ['rolloutpolicy/careful', undefined, 'rolloutpolicy', 'careful'],
    ['rop/careful', undefined, 'rolloutpolicy', 'careful'],
    ['rolloutpolicies', 'careful', 'rolloutpolicy', 'careful'],
  ]
  test.each(said)('%s %s', (first, second, kind, name) => {
    expect(parseReference(first, second)).toEqual({ kind, name })
  })

  const belongs = 'a rollout belongs to nodepool/NAME, ec2nodeclass/NAME or rolloutpolicy/NAME'
  const refused: [first: string, second: string | undefined, message: string][] = [
    ['node/x', undefined, `node/x: ${belongs}`],
    ['constructor/x', undefined, `constructor/x: ${belongs}`],
    ['general', 'batch', `general/batch: ${belongs}`],
    ['', undefined, ': expected KIND/NAME, such as nodepool/general'],
    ['nodepool/', undefined, 'nodepool/: expected KIND/NAME, such as nodepool/general'],
    ['nodepool', '', 'nodepool/: expected KIND/NAME, such as nodepool/general'],
    ['nodepool/a/b', undefined, 'nodepool/a/b: expected KIND/NAME, such as nodepool/general'],
    ['nodepool', 'a/b', 'nodepool/a/b: expected KIND/NAME, such as nodepool/general'],
    ['nodepool/a', 'b', 'nodepool/a names one object, and b would be another: one is taken at a time'],
  ]
  test.each(refused)('names nothing that has a rollout: %j %j', (first, second, message) => {
    expect(() => parseReference(first, second)).toThrow(new UsageError(message))
  })
})

describe('pause', () => {
  test('for a time is until then, and never shorter', () => {
    expect(pauseRequest(pool(), pauseEnd({ for: '2h' }, now)).value).toBe('2026-03-01T14:00:01Z')
  })

  test('until a time is written as it was meant', () => {
    const until = pauseEnd({ until: '2026-03-01T15:00:00+02:00' }, now)
    expect(pauseRequest(pool(), until)).toMatchObject({
      name: 'joinery.dev/pause-until',
      value: '2026-03-01T13:00:00Z',
    })
  })

  test.each([
    [{}, /ends by itself/],
    [{ for: '1h', until: '2030-01-01T00:00:00Z' }, /not both/],
    [{ for: 'ever' }, /--for/],
    [{ for: '0s' }, /takes some time/],
    [{ for: '-1h' }, /takes some time/],
    [{ until: 'tomorrow' }, /RFC 3339/],
    [{ until: '2026-03-01T12:00:00Z' }, /has passed/],
  ])('%j is refused', (options, says) => {
    expect(() => pauseEnd(options, now)).toThrow(says)
  })

  test('resume removes the annotation and tells what still pauses', () => {
    const annotated = pool({}, { 'joinery.dev/pause-until': '2026-03-01T13:00:00Z' })
    expect(resumeRequest(annotated, undefined)).toMatchObject({
      name: 'joinery.dev/pause-until',
      value: null,
      message: 'nodepool/general: resumed',
    })
    expect(resumeRequest(pool(), undefined).message).toContain('was not paused')
    expect(resumeRequest(policy('2030-01-01T00:00:00Z'), undefined).message).toContain(
      'spec.pausedUntil (2030-01-01T00:00:00Z) still stands',
    )
  })
})

describe('approve', () => {
  test('takes the target of the status', () => {
    expect(approveRequest(pool({ target }), {}, now, 'asked')).toMatchObject({
      name: 'joinery.dev/approve',
      value: target,
    })
  })

  test('takes the target that is given while it is the target', () => {
    expect(approveRequest(pool({ target }), { target }, now, 'asked').value).toBe(target)
  })

  test('refuses a target that has moved on, and names the new one', () => {
    expect(() => approveRequest(pool({ target }), { target: '99-0a0a0a0a' }, now, 'asked')).toThrow(
      /moved on: 99-0a0a0a0a was given, it now is 123-0a0a0a0a/,
    )
  })

  test('refuses where no status names a target', () => {
    expect(() => approveRequest(pool(), { target }, now, 'asked')).toThrow(/names no target/)
  })

  test('refuses what stands for an earlier edit: it would approve nothing of the latest', () => {
    const request = (): unknown => approveRequest(pool({ target, observedGeneration: 1 }, {}, 2), {}, now, 'asked')
    expect(request).toThrow(/latest change has not been looked at yet/)
  })

  test('says that nothing new was approved', () => {
    expect(approveRequest(pool({ target }, { 'joinery.dev/approve': target }), {}, now, 'asked').message).toContain(
      'already',
    )
  })

  test.each([
    [pool({ target }), 'no RolloutPolicy in mode Approve governs it, so nothing waits for that'],
    [nodeClass({ target }), 'no RolloutPolicy in mode Approve governs a NodePool of it, so nothing waits for that'],
  ])('says where nobody asked for it', (steered, text) => {
    expect(approveRequest(steered, {}, now, 'unasked').message).toContain(`${target} approved; ${text}`)
    expect(approveRequest(steered, {}, now, 'unknown').message).toMatch(/approved$/)
  })

  test('has no meaning for a policy', () => {
    expect(() => approveRequest(policy(), {}, now, 'asked')).toThrow(/can be paused and resumed/)
  })
})

test('restart asks for nodes made from now on; those of the same second are new', () => {
  expect(restartRequest(pool(), {}, now).value).toBe('2026-03-01T12:00:00Z')
  expect(restartRequest(pool(), { at: '2026-03-02T00:00:00Z' }, now).value).toBe('2026-03-02T00:00:00Z')
  expect(() => restartRequest(pool(), { at: 'soon' }, now)).toThrow(/--at/)
})

describe('undo', () => {
  const image = (id: string) => ({ id, name: `image-${id}` })
  const revision = (number: number, id: string, outcome: 'good' | 'bad' | 'unknown') => ({
    revision: number,
    images: [image(id)],
    firstSeen: '2026-01-01T00:00:00Z',
    outcome,
  })
  const linux = nodeClass({
    amis: [{ id: 'ami-4', name: 'four', requirements: [] }],
    imageHistory: [
      revision(4, 'ami-4', 'good'),
      revision(3, 'ami-3', 'bad'),
      revision(1, 'ami-1', 'good'),
      revision(2, 'ami-2', 'good'),
    ],
  })

  test('goes to the newest good revision that is not in use', () => {
    expect(undoRequest(linux, {})).toMatchObject({ name: 'joinery.dev/undo-to', value: '2' })
  })

  test('goes where it is told, even to a bad one', () => {
    expect(undoRequest(linux, { toRevision: 3 }).value).toBe('3')
  })

  test('refuses a revision that is not in the history', () => {
    expect(() => undoRequest(linux, { toRevision: 9 })).toThrow(/no revision 9, only 4, 3, 2, 1/)
  })

  test('refuses to guess where nothing is known to be good', () => {
    const fresh = nodeClass({ imageHistory: [revision(1, 'ami-1', 'unknown')] })
    expect(() => undoRequest(fresh, {})).toThrow(/no earlier revision is known to be good/)
    expect(() => undoRequest(nodeClass({}), {})).toThrow(/no history/)
  })

  test('passes over a revision of another family, and refuses it by its number', () => {
    const moved = nodeClass({
      imageHistory: [
        { ...revision(2, 'ami-2', 'good'), family: 'AL2' },
        { ...revision(1, 'ami-1', 'good'), family: 'Custom' },
      ],
    })
    expect(undoRequest(moved, {}).value).toBe('1')
    expect(() => undoRequest(moved, { toRevision: 2 })).toThrow(
      /no return to revision 2: its images are of AL2, and nodes are made by Custom now/,
    )
  })

  test('of a pool names the class whose images can be undone', () => {
    expect(() => undoRequest(pool(), {})).toThrow(/joinery rollout undo ec2nodeclass\/linux/)
  })
})

describe('retire', () => {
  test('writes the name of the pool', () => {
    expect(retireRequest(pool(), { cancel: false })).toMatchObject({ name: 'joinery.dev/retire', value: 'general' })
  })

  test('is taken back by removing it', () => {
    const retired = pool({}, { 'joinery.dev/retire': 'general' })
    expect(retireRequest(retired, { cancel: true })).toMatchObject({
      value: null,
      message: expect.stringContaining('no longer'),
    })
  })

  test('is not for static pools, which replace their nodes themselves', () => {
    const general = pool()
    if (general.kind !== 'nodepool') throw new Error('a pool was expected')
    const { object } = general
    const fixed: Steered = { ...general, object: { ...object, spec: { ...object.spec, replicas: 3 } } }
    expect(() => retireRequest(fixed, { cancel: false })).toThrow(/spec\.replicas to 0/)
  })

  test('is for pools only', () => {
    expect(() => retireRequest(nodeClass({}), { cancel: false })).toThrow(/only a NodePool/)
  })
})

test.each([
  [
    { kind: 'nodepool', name: 'general' },
    { name: 'joinery.dev/approve', value: target },
    `kubectl annotate --overwrite nodepools.karpenter.sh general joinery.dev/approve=${target}`,
  ],
  [
    { kind: 'ec2nodeclass', name: 'linux' },
    { name: 'joinery.dev/pause-until', value: null },
    'kubectl annotate ec2nodeclasses.karpenter.k8s.aws linux joinery.dev/pause-until-',
  ],
  [
    { kind: 'nodepool', name: 'general' },
    { name: 'joinery.dev/x', value: "it's" },
    `kubectl annotate --overwrite nodepools.karpenter.sh general joinery.dev/x='it'\\''s'`,
  ],
] as const)('the kubectl command for %o %o can be pasted into a shell', (reference, annotation, want) => {
  expect(kubectlText(reference, annotation)).toBe(want)
})
