import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import { VirtualClock } from '../../src/embedded/clock.ts'
import { mutateReview, validateReview } from '../../webhooks/judge-review.ts'
import { readReview, type ReviewRequest } from '../../webhooks/review.ts'
import { aNodeClass, aPool } from './objects.ts'

/*
 * Invariants that no cluster has to run for: I28, I36 to I38. I30 is incident 33 (`incidents/control-plane.test.ts`), I39 is a property of
 * the user data (`test/unit/cloud/aws/userdata/hostile.test.ts`).
 */

interface Webhook {
  readonly name: string
  readonly failurePolicy?: string
  readonly timeoutSeconds?: number
  readonly sideEffects?: string
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly operations: readonly string[]
    readonly resources: readonly string[]
  }[]
  readonly matchConditions?: readonly { readonly expression: string }[]
}

const ours = new Map([
  ['karpenter.sh', new Set(['nodepools', 'nodeoverlays'])],
  ['karpenter.k8s.aws', new Set(['ec2nodeclasses'])],
  ['joinery.dev', new Set(['rolloutpolicies'])],
])

/** I28: what a webhook that is down, slow or replaced could block. NodeClaims are not ours to judge: they are how nodes come back. */
function blockedBy(webhooks: readonly Webhook[]): readonly string[] {
  return webhooks.flatMap(
    ({ name, rules, failurePolicy = 'Fail', timeoutSeconds = 10, sideEffects, matchConditions = [] }) => {
      const foreign = rules.flatMap(({ apiGroups, resources }) =>
        apiGroups.flatMap((group) =>
          resources
            .filter((resource) => ours.get(group)?.has(resource) !== true)
            .map((resource) => `${group}/${resource}`),
        ),
      )
      const expressions = matchConditions.map(({ expression }) => expression).join(' ')
      return [
        ...foreign.map((what) => `${name} judges ${what}`),
        ...(rules.some(({ operations }) => operations.some((it) => it === 'DELETE' || it === '*'))
          ? [`${name} judges deletions`]
          : []),
        ...(failurePolicy === 'Ignore' ? [] : [`${name} fails closed`]),
        ...(timeoutSeconds <= 3 ? [] : [`${name} may take ${timeoutSeconds} s`]),
        ...(sideEffects === 'None' ? [] : [`${name} refuses dry runs`]),
        ...(expressions.includes('deletionTimestamp') ? [] : [`${name} holds finalizers`]),
        ...(expressions.includes('request.userInfo.username !=') ? [] : [`${name} judges the controller itself`]),
      ]
    },
  )
}

function shippedWebhooks(): readonly Webhook[] {
  const text = readFileSync(join(import.meta.dirname, '../../manifests/base/joinery.yaml'), 'utf8')
  return parseAllDocuments(text)
    .map((document) => document.toJS() as { kind?: string; webhooks?: Webhook[] } | null)
    .flatMap((object) => (object?.kind?.endsWith('WebhookConfiguration') === true ? (object.webhooks ?? []) : []))
}

describe('I28: webhooks block nothing that a cluster needs to recover', () => {
  test('as they are shipped', () => {
    expect(shippedWebhooks()).toHaveLength(2)
    expect(blockedBy(shippedWebhooks())).toEqual([])
  })

  const [webhook] = shippedWebhooks()
  if (webhook === undefined) throw new Error('no webhook is shipped')
  const [rule] = webhook.rules
  if (rule === undefined) throw new Error('the webhook has no rule')
  const cases: Record<string, { change: Partial<Webhook>; want: RegExp }> = {
    'pods would be': { change: { rules: [{ ...rule, apiGroups: [''], resources: ['pods'] }] }, want: /judges \/pods$/ },
    'nodeclaims would be': { change: { rules: [{ ...rule, resources: ['*'] }] }, want: /judges karpenter.sh\/\*$/ },
    'deletions would be': { change: { rules: [{ ...rule, operations: ['DELETE'] }] }, want: /judges deletions$/ },
    'a webhook that fails closed would': { change: { failurePolicy: 'Fail' }, want: /fails closed$/ },
    'a slow one would': { change: { timeoutSeconds: 10 }, want: /may take 10 s$/ },
    'finalizers would be': {
      change: { matchConditions: webhook.matchConditions?.slice(1) ?? [] },
      want: /holds finalizers$/,
    },
  }
  test.each(Object.entries(cases))('%s found', (_name, { change, want }) => {
    expect(blockedBy([{ ...webhook, ...change }])).toEqual([expect.stringMatching(want)])
  })
})

const kindOf = ({ apiVersion, kind }: KubeObject) => {
  const [group = '', version = ''] = apiVersion.split('/')
  return { group, version, kind }
}

/** A pool or class with some member removed, replaced or added: valid or not, as what people send. */
const objects = fc
  .tuple(
    fc.constantFrom<unknown>(aPool({ name: 'general' }), aPool({ name: 'spot', budget: '10%' }), aNodeClass()),
    fc.array(
      fc.tuple(fc.constantFrom('spec', 'template', 'disruption', 'limits', 'role', 'weight', 'extra'), fc.json()),
      { maxLength: 3 },
    ),
  )
  .map(([base, changes]) => {
    const object = structuredClone(base) as KubeObject & { spec: Record<string, unknown> }
    for (const [key, text] of changes) object.spec[key] = JSON.parse(text)
    return object
  })

function request(object: KubeObject, dryRun = false): ReviewRequest {
  const read = readReview({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u1', kind: kindOf(object), operation: 'CREATE', object, dryRun },
  })
  if (read.kind !== 'request') throw new Error(JSON.stringify(read))
  return read.request
}

test('I36: the same review gets the same answer, however often it is asked, as a dry run too', async () => {
  const validate = validateReview({ clock: new VirtualClock() })
  await fc.assert(
    fc.asyncProperty(objects, async (object) => {
      const before = JSON.stringify(object)
      const first = await validate(request(object))
      expect(await validate(request(object))).toEqual(first)
      expect(await validate(request(object, true))).toEqual(first)
      expect(mutateReview(request(object))).toEqual(mutateReview(request(object)))
      expect(JSON.stringify(object)).toBe(before)
    }),
    { numRuns: 60, seed: 36 },
  )
})

test('I37: what was completed once is not completed again', () => {
  let completed = 0
  fc.assert(
    fc.property(objects, (object) => {
      const { patch = [] } = mutateReview(request(object))
      if (patch.length > 0) completed += 1
      const after = patch.reduce<unknown>((value, operation) => applied(value, operation as Addition), object)
      expect(mutateReview(request(after as KubeObject)).patch ?? []).toEqual([])
    }),
    { numRuns: 100, seed: 37 },
  )
  expect(completed).toBeGreaterThan(10)
})

test('I38: whatever is sent is read or refused, never thrown, and no key of it reaches a prototype', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), fc.json(), (anything, text) => {
      for (const body of [
        anything,
        JSON.parse(text) as unknown,
        { request: anything, apiVersion: 'admission.k8s.io/v1' },
      ]) {
        expect(['request', 'malformed']).toContain(readReview(body).kind)
      }
    }),
    { numRuns: 300, seed: 38 },
  )
  const pool = JSON.parse(
    `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"x"},"spec":{"__proto__":{"weight":5}}}`,
  )
  expect(() => request(pool as KubeObject)).toThrow('the body has a field __proto__')
  expect(Object.hasOwn(Object.prototype, 'weight')).toBe(false)
})

interface Addition {
  readonly op: 'add'
  readonly path: string
  readonly value: unknown
}

function applied(object: unknown, { path, value }: Addition): unknown {
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const root = structuredClone(object) as Record<string, unknown>
  let at = root
  for (const key of keys.slice(0, -1)) at = at[key] as Record<string, unknown>
  at[keys.at(-1) ?? ''] = value
  return root
}
