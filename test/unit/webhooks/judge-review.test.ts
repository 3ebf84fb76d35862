import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import type { ReviewRequest } from '../../../webhooks/review.ts'
import type { AdmissionFacts } from '../../../src/admission/index.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const now = Date.parse('2026-06-14T12:00:00Z')

function nodePool(spec: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'default',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
      ...metadata,
    },
    spec: {
      template: {
        spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] },
      },
      ...spec,
    },
  } as KubeObject
}

function request(object: KubeObject | undefined, more: Partial<ReviewRequest> = {}): ReviewRequest {
  return {
    uid: 'u1',
    kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
    operation: 'CREATE',
    subResource: '',
    name: 'default',
    namespace: '',
    username: 'ci',
    dryRun: false,
    object,
    oldObject: undefined,
    ...more,
  }
}

const brokenBudget = {
  disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1', schedule: '0 0 * * tue-mon', duration: '1h' }] },
}
const validate = validateReview({ clock: new ManualClock(now) })

test('a rule that fails is logged, and the review answered by the others', async () => {
  const log = recordingLogger()
  const facts = () => ({
    catalogueOf: () => {
      throw new Error('boom')
    },
  })
  const failing = validateReview({
    clock: new ManualClock(now),
    facts,
    log,
    severities: { 'JN-203': 'off', 'JN-204': 'off' },
  })
  expect(await failing(request(nodePool()))).toEqual({
    allowed: true,
    warnings: ['JN-202: the rule failed, only the others were asked: boom'],
  })
  expect(await failing(request(nodePool(brokenBudget)))).toMatchObject({ allowed: false })
  expect(log.lines.map(({ level, message, fields }) => [level, message, fields['rule'], fields['NodePool']])).toEqual(
    Array.from({ length: 2 }, () => ['error', 'admission rule failed', 'JN-202', { name: 'default' }]),
  )
})

describe('validation', () => {
  test('a good spec passes', async () => {
    expect(await validate(request(nodePool()))).toEqual({ allowed: true, warnings: [] })
  })

  test('what the schema refuses is refused in its words', async () => {
    expect(await validate(request(nodePool({ weight: 200 })))).toMatchObject({
      allowed: false,
      message:
        'NodePool.karpenter.sh "default" is invalid: spec.weight: Invalid value: 200: spec.weight in body should be less than or equal to 100',
    })
  })

  test('a reason that is too long is told as far as anybody would read it', async () => {
    const { message = '' } = await validate(
      request(nodePool({ disruption: { consolidateAfter: 'x'.repeat(200_000) } })),
    )
    expect(message).toMatch(/is invalid: .*spec\.disruption\.consolidateAfter: Invalid value: "x+/)
    expect(message.length).toBeLessThan(70_000)
  })

  test('several reasons are told in one list, ours with what would mend them, under the name that is to be generated', async () => {
    const generated = nodePool({ ...brokenBudget, weight: 0 }, { name: undefined, generateName: 'web-' })
    const { message } = await validate(request(generated, { name: '' }))
    expect(message).toMatch(
      /^NodePool\.karpenter\.sh "web-" is invalid: \[spec\.weight: Invalid value: 0: .*, spec\.disruption\.budgets\[0\]\.schedule: the schedule does not parse: .* \(JN-101: Write five cron fields in UTC .*\)\]$/,
    )
  })

  test('reasons beyond those that anybody would read are counted', async () => {
    const requirements = Array.from({ length: 60 }, (_, index) => ({
      key: `k${index}`,
      operator: 'In',
      values: [`${'x'.repeat(2_000)} y`],
    }))
    const { spec } = nodePool() as unknown as { spec: { template: { spec: object } } }
    const { message = '' } = await validate(
      request(nodePool({ template: { spec: { ...spec.template.spec, requirements } } })),
    )
    const told = message.match(/spec\.template\.spec\.requirements\[\d+\]: /g)?.length ?? 0
    expect(told).toBeGreaterThan(1)
    expect(message).toMatch(new RegExp(`, and ${60 - told} more\\]$`))
  })

  test('what can never work is refused by the ID of its rule', async () => {
    const answer = await validate(request(nodePool(brokenBudget)))
    expect(answer.allowed).toBe(false)
    expect(answer.message).toMatch(/spec\.disruption\.budgets\[0\]\.schedule: .*\(JN-\d+/)
  })

  test('an object that is bad already can still get metadata, and be deleted', async () => {
    const old = nodePool(brokenBudget)
    const touched = nodePool(brokenBudget, { labels: { a: 'b' } })
    expect(await validate(request(touched, { operation: 'UPDATE', oldObject: old }))).toMatchObject({ allowed: true })
    const going = nodePool(brokenBudget, { deletionTimestamp: '2026-06-14T12:00:00Z' })
    expect(await validate(request(going, { operation: 'UPDATE', oldObject: old }))).toMatchObject({ allowed: true })
    expect(await validate(request(undefined, { operation: 'DELETE', oldObject: old }))).toEqual({ allowed: true })
    expect(await validate(request(nodePool({ weight: 200 }), { operation: 'UPDATE', subResource: 'status' }))).toEqual({
      allowed: true,
    })
  })

  test('warnings are one line, rule first, at most 120 characters', async () => {
    const { warnings = [] } = await validate(request(nodePool({ disruption: { consolidateAfter: '0s', budgets: [] } })))
    expect(warnings.length).toBeGreaterThan(0)
    for (const warning of warnings) expect(warning).toMatch(/^JN-\d+: [^\n]{1,112}$/)
  })

  test('warnings beyond those that an API server passes on are counted, and that checks were skipped is still said', async () => {
    const startupTaints = Array.from({ length: 30_000 }, (_, index) => ({
      key: `karpenter.sh/t${index}`,
      effect: 'NoSchedule',
    }))
    const facts = () => Promise.reject(new Error('unreachable'))
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
    const tainted = (taints: object) =>
      nodePool({ template: { spec: { nodeClassRef, requirements: [], startupTaints: taints } } })
    const many = tainted(startupTaints)
    const { allowed, warnings = [] } = await validateReview({ clock: new ManualClock(now), facts })(request(many))
    expect(allowed).toBe(true)
    expect(warnings.join('').length).toBeLessThanOrEqual(4_096)
    const told = warnings.filter((text) => text.startsWith('JN-216: '))
    expect(told.length).toBeGreaterThan(20)
    expect(warnings.slice(told.length)).toEqual([
      `and ${30_000 - told.length} more warnings`,
      expect.stringMatching(/^JN-000: /),
    ])
    // All there is, where it is not too much.
    const few = tainted(startupTaints.slice(0, 20))
    expect((await validate(request(few))).warnings).toHaveLength(20)
  })

  test('facts that do not come in time are done without, and the answer says so', async () => {
    const clock = new ManualClock(now)
    const late = validateReview({ clock, facts: () => new Promise(() => undefined) })(request(nodePool()))
    await clock.advance(250)
    const { allowed, warnings } = await late
    expect(allowed).toBe(true)
    expect(warnings).toEqual(['JN-000: checks that depend on the cluster were skipped: no facts within 250 ms'])
  })

  test.each<[string, () => AdmissionFacts | Promise<AdmissionFacts>]>([
    [
      'at once',
      () => {
        throw new TypeError('no such field')
      },
    ],
    ['later', () => Promise.reject(new TypeError('no such field'))],
  ])('facts that fail %s are done without, the answer says so, and the log says why', async (_name, facts) => {
    const log = recordingLogger()
    const judged = validateReview({ clock: new ManualClock(now), facts, log })
    expect(await judged(request(nodePool()))).toEqual({
      allowed: true,
      warnings: ['JN-000: checks that depend on the cluster were skipped: the facts could not be gathered'],
    })
    expect(log.lines).toEqual([
      expect.objectContaining({
        level: 'error',
        message: 'gathering facts for an admission review failed',
        fields: expect.objectContaining({
          err: new TypeError('no such field'),
          rule: 'JN-000',
          NodePool: { name: 'default' },
        }),
      }),
    ])
  })

  test('dry run and real request get the same answer', async () => {
    const object = nodePool(brokenBudget)
    expect(await validate(request(object, { dryRun: true }))).toEqual(await validate(request(object)))
  })
})

describe('mutation', () => {
  const pathsOf = (object: KubeObject) => {
    const { allowed, patch = [] } = mutateReview(request(object))
    // Whatever is wrong with it is for validation to say.
    expect(allowed).toBe(true)
    return patch.map((operation) => (operation as { path: string }).path)
  }

  test('adds the defaults of the schema that are missing', () => {
    expect(pathsOf(nodePool()).toSorted()).toEqual(['/spec/disruption', '/spec/template/spec/expireAfter'])
  })

  test.each([undefined, 5, ['karpenter.sh/v1']])('adds nothing to an object whose apiVersion is %j', (apiVersion) => {
    expect(pathsOf({ ...nodePool(), apiVersion } as unknown as KubeObject)).toEqual([])
  })

  test('adds them where there is a null, in lists too', () => {
    const budgets = [{ nodes: '1' }, { nodes: null }, {}]
    expect(pathsOf(nodePool({ disruption: { consolidateAfter: '0s', consolidationPolicy: null, budgets } }))).toEqual(
      expect.arrayContaining([
        '/spec/disruption/consolidationPolicy',
        '/spec/disruption/budgets/1/nodes',
        '/spec/disruption/budgets/2/nodes',
      ]),
    )
  })

  test('never touches what the user set', () => {
    const spec = {
      disruption: { consolidateAfter: '1m', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '1' }] },
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
          expireAfter: 'Never',
        },
      },
    }
    expect(pathsOf(nodePool(spec))).toEqual([])
  })

  test.each(['status', 'scale'])('leaves writes of %s alone, and what is deleted', (subResource) => {
    expect(mutateReview(request(nodePool(), { operation: 'UPDATE', subResource }))).toEqual({ allowed: true })
    expect(mutateReview(request(undefined, { operation: 'DELETE' }))).toEqual({ allowed: true })
  })

  test('is idempotent: what it made complete needs nothing more', () => {
    const patch = (mutateReview(request(nodePool())).patch ?? []) as { path: string; value: unknown }[]
    const completed = structuredClone(nodePool()) as KubeObject & { spec: Record<string, unknown> }
    for (const { path, value } of patch) {
      const keys = path.split('/').slice(1)
      const last = keys.pop() ?? ''
      let at = completed as unknown as Record<string, unknown>
      for (const key of keys) at = at[key] as Record<string, unknown>
      at[last] = value
    }
    expect(pathsOf(completed)).toEqual([])
  })
})
