import { describe, expect, test } from 'vitest'
import { clientFor } from '../../../../src/embedded/apiserver/index.ts'
import { aWorld, configMaps, createMap, failureOf } from './world.ts'

interface Case {
  readonly patch: object
  readonly by?: string
  /** What of `data` and `metadata.labels` each manager owns afterwards, and when it last wrote. */
  readonly want: Readonly<Record<string, string>>
}

const first = '2026-01-01T00:00:00Z'
const second = '2026-01-01T00:01:00Z'

const cases: Record<string, Case> = {
  'a new value of a field that the writer owns': { patch: { data: { a: '9' } }, want: { test: `a b at ${second}` } },
  'the same value': { patch: { data: { a: '1' } }, want: { test: `a b at ${first}` } },
  'a new field beside it': { patch: { data: { a: '9', c: '3' } }, want: { test: `a b c at ${second}` } },
  'a field that goes': { patch: { data: { a: '9', b: null } }, want: { test: `a at ${second}` } },
  'a label and a value': {
    patch: { data: { a: '9' }, metadata: { labels: { tier: 'one' } } },
    want: { test: `a b tier at ${second}` },
  },
  'a new value by somebody else': {
    patch: { data: { a: '9' } },
    by: 'other',
    want: { test: `b at ${first}`, other: `a at ${second}` },
  },
}

test.each(Object.entries(cases))(
  'who writes owns what it writes, with the time of the write: %s',
  async (_name, { patch, by, want }) => {
    const { server, client, clock } = aWorld()
    await createMap(client, 'm', {}, { a: '1', b: '2' })
    await clock.run({ forMs: 60_000 })
    const writer = by === undefined ? client : clientFor(server, { fieldManager: by })
    await writer.patch(configMaps, { namespace: 'default', name: 'm' }, { kind: 'merge', body: patch })
    const { metadata } = await client.get(configMaps, { namespace: 'default', name: 'm' })
    expect(Object.fromEntries((metadata.managedFields ?? []).map(ownership))).toEqual(want)
  },
)

describe('server-side apply after kubectl applied on its own side', () => {
  const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
  const key = { namespace: 'default', name: 'm' }
  const aMap = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: key, data })

  async function aWorldWithApplied() {
    const world = aWorld()
    const annotations = { [lastApplied]: JSON.stringify(aMap({ a: '1' })) }
    await createMap(
      clientFor(world.server, { fieldManager: 'kubectl-client-side-apply' }),
      'm',
      { annotations },
      { a: '1' },
    )
    const applyAs = (fieldManager: string, data: object) =>
      clientFor(world.server, { fieldManager }).patch(configMaps, key, { kind: 'apply', body: aMap(data) })
    return { ...world, applyAs }
  }

  test('kubectl takes over what it applied before, and the annotation follows', async () => {
    const { client, applyAs } = await aWorldWithApplied()
    const applied = await applyAs('kubectl', { a: '2' })
    expect(applied.data).toEqual({ a: '2' })
    expect(JSON.parse(applied.metadata.annotations?.[lastApplied] ?? '')).toEqual(aMap({ a: '2' }))
    const { metadata } = await client.get(configMaps, key)
    const owners = Object.fromEntries((metadata.managedFields ?? []).map(ownership))
    expect(owners).toEqual({ kubectl: `a at ${first}`, 'kubectl-client-side-apply': ` at ${first}` })
  })

  test('other managers take nothing over', async () => {
    const { applyAs } = await aWorldWithApplied()
    expect(await failureOf(applyAs('argocd', { a: '2' }))).toBe(
      'Conflict: Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    )
  })

  test('what somebody else has added stays a conflict', async () => {
    const { server, applyAs } = await aWorldWithApplied()
    const body = { data: { b: '2' } }
    await clientFor(server, { fieldManager: 'other' }).patch(configMaps, key, { kind: 'merge', body })
    expect(await failureOf(applyAs('kubectl', { a: '2', b: '3' }))).toBe(
      'Conflict: Apply failed with 1 conflict: conflict with "other" using v1: .data.b',
    )
  })
})

function ownership(entry: unknown): readonly [string, string] {
  const { manager, time, fieldsV1 } = entry as {
    manager: string
    time: string
    fieldsV1: { 'f:data'?: object; 'f:metadata'?: { 'f:labels'?: object } }
  }
  const steps = [...Object.keys(fieldsV1['f:data'] ?? {}), ...Object.keys(fieldsV1['f:metadata']?.['f:labels'] ?? {})]
  const names = steps.filter((step) => step !== '.').map((step) => step.slice(2))
  return [manager, `${names.join(' ')} at ${time}`]
}
