import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { readRolloutAnnotations } from '../../../src/rollout/annotations.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const target = '12345678901234567890-0a1b2c3d'

function anObject(kind: string, annotations?: Record<string, string>): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: 'general',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(annotations === undefined ? {} : { annotations }),
    },
  }
}

test.each(['NodePool', 'EC2NodeClass', 'RolloutPolicy', 'NodeClaim'])(
  'a %s without annotations asks for nothing',
  (kind) => {
    expect(readRolloutAnnotations(anObject(kind), now)).toEqual({ retire: false, problems: [] })
  },
)

const understood: Record<string, { kind?: string; name: string; value: string; want: object }> = {
  'an approval is the target that was approved': { name: 'approve', value: target, want: { approve: target } },
  'an approval may be on the class': {
    kind: 'EC2NodeClass',
    name: 'approve',
    value: target,
    want: { approve: target },
  },
  'a pause in the future holds and ends then': {
    name: 'pause-until',
    value: '2026-03-01T13:00:00+00:00',
    want: { pausedUntil: now + 3_600_000, changesAt: now + 3_600_000 },
  },
  'a pause holds in whatever zone it was written': {
    name: 'pause-until',
    value: '2026-03-01T15:00:00.5+02:00',
    want: { pausedUntil: now + 3_600_500, changesAt: now + 3_600_500 },
  },
  'a policy can be paused': {
    kind: 'RolloutPolicy',
    name: 'pause-until',
    value: '2026-03-01T13:00:00Z',
    want: { pausedUntil: now + 3_600_000, changesAt: now + 3_600_000 },
  },
  'a pause ends at its very time': { name: 'pause-until', value: '2026-03-01T12:00:00Z', want: {} },
  'a restart asked for now is in force': {
    name: 'restart-at',
    value: '2026-03-01T12:00:00Z',
    want: { restartAt: now },
  },
  'a restart in the future waits for its time, else new nodes would be too old as well': {
    name: 'restart-at',
    value: '2026-03-01T12:00:01Z',
    want: { changesAt: now + 1000 },
  },
  'a revision to return to': { kind: 'EC2NodeClass', name: 'undo-to', value: '12', want: { undoTo: 12 } },
  'a pool is retired by its own name': { name: 'retire', value: 'general', want: { retire: true } },
}

test.each(Object.entries(understood))('%s', (_name, { kind = 'NodePool', name, value, want }) => {
  const object = anObject(kind, { [`joinery.dev/${name}`]: value })
  expect(readRolloutAnnotations(object, now)).toEqual({ retire: false, problems: [], ...want })
})

const refused: Record<string, { kind?: string; name: string; value: string; says: RegExp }> = {
  'a day that does not exist': { name: 'pause-until', value: '2026-06-31T00:00:00Z', says: /"2026-06-31.*RFC 3339/ },
  'a time without a zone': { name: 'pause-until', value: '2026-06-30T00:00:00', says: /RFC 3339/ },
  'a span instead of a time': { name: 'restart-at', value: '2h', says: /"2h" is no RFC 3339/ },
  'no target at all': { name: 'approve', value: '', says: /"" is no target/ },
  'yes instead of a target': { name: 'approve', value: 'true', says: /"true" is no target.*rollout status/ },
  'revision nought': { kind: 'EC2NodeClass', name: 'undo-to', value: '0', says: /no revision/ },
  'a revision with a sign': { kind: 'EC2NodeClass', name: 'undo-to', value: '-1', says: /no revision/ },
  'another name to retire': { name: 'retire', value: 'true', says: /must be "general"/ },
  'a class to retire': {
    kind: 'EC2NodeClass',
    name: 'retire',
    value: 'general',
    says: /no effect on kind EC2NodeClass/,
  },
  'a pool to undo': { name: 'undo-to', value: '1', says: /no effect on kind NodePool/ },
}

test.each(Object.entries(refused))(
  '%s counts as not given and is told',
  (_name, { kind = 'NodePool', name, value, says }) => {
    const path = `metadata.annotations[joinery.dev/${name}]`
    const answer = readRolloutAnnotations(anObject(kind, { [`joinery.dev/${name}`]: value }), now)
    expect(answer).toEqual({ retire: false, problems: [{ path, message: expect.stringMatching(says) }] })
  },
)

test('a static pool cannot be retired, and says what to do instead', () => {
  const pool = { ...anObject('NodePool', { 'joinery.dev/retire': 'general' }), spec: { replicas: 3 } }
  expect(readRolloutAnnotations(pool, now)).toMatchObject({
    retire: false,
    problems: [{ message: expect.stringContaining('set its replicas to 0') }],
  })
})

test('a value of any length makes a short message', () => {
  const object = anObject('NodePool', { 'joinery.dev/approve': 'x'.repeat(10_000) })
  expect(readRolloutAnnotations(object, now).problems[0]?.message.length).toBeLessThan(200)
})

test('of several times, the first decides when the answer changes; problems come in the order of their names', () => {
  const object = anObject('NodePool', {
    'joinery.dev/restart-at': '2026-03-01T14:00:00Z',
    'joinery.dev/pause-until': '2026-03-01T13:00:00Z',
    'joinery.dev/retire': 'x',
    'joinery.dev/approve': 'y',
  })
  const answer = readRolloutAnnotations(object, now)
  expect(answer.changesAt).toBe(now + 3_600_000)
  expect(answer.problems.map(({ path }) => path)).toEqual([
    'metadata.annotations[joinery.dev/approve]',
    'metadata.annotations[joinery.dev/retire]',
  ])
})
