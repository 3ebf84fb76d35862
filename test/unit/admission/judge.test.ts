import { describe, expect, test } from 'vitest'
import { judge, type JudgeInput, rules, type Verdict } from '../../../src/admission/index.ts'
import type { RuleContext } from '../../../src/admission/rule.ts'
import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'

interface Parts {
  requirements?: object[]
  labels?: Record<string, string>
  deleted?: boolean
  weight?: number
  extra?: object
}

function pool({
  requirements = [],
  labels,
  deleted = false,
  weight,
  extra = {},
}: Parts = {}): KubeObject & { spec: object } {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'p',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(labels === undefined ? {} : { labels }),
      ...(deleted ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: {
      template: {
        spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements },
      },
      ...(weight === undefined ? {} : { weight }),
      ...extra,
    },
  }
}

function verdictOf(object: KubeObject, more: Partial<JudgeInput> = {}): Verdict {
  return judge({ object, operation: more.oldObject === undefined ? 'CREATE' : 'UPDATE', rules: 'all', now: 0, ...more })
}

const spotless = { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['xspot'] }
const schemaError = pool({ weight: 0 })
const celError = pool({ requirements: [{ key: 'a', operator: 'In', values: [] }] })
const ruleError = pool({ requirements: [spotless] })

test('each error says where it comes from', () => {
  expect(verdictOf(schemaError).errors.map(({ rule, path }) => [rule, path])).toEqual([['schema', 'spec.weight']])
  expect(verdictOf(celError).errors.map(({ rule }) => rule)).toContain('cel')
  expect(verdictOf(ruleError).errors.map(({ rule }) => rule)).toEqual(['JN-104'])
})

describe('a rule that fails', () => {
  const nodeClass = (spec: object = {}): KubeObject & { spec: object } => ({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'c', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      role: 'r',
      amiFamily: 'Bottlerocket',
      amiSelectorTerms: [{ name: 'x', owner: 'aws-marketplace' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      blockDeviceMappings: [{ ebs: { volumeSize: '1Zi' } }],
      userData: 'x',
      ...spec,
    },
  })
  const error = new Error('boom')
  const facts: JudgeInput['facts'] = {
    userDataProblem: () => {
      throw error
    },
  }

  test('is told as a warning and as what it threw, and keeps no other from being asked', () => {
    const sound = verdictOf(nodeClass(), { facts: {} })
    const failed = verdictOf(nodeClass(), { facts })
    expect(failed.errors).toEqual(sound.errors)
    expect(failed.warnings).toEqual(
      expect.arrayContaining([
        ...sound.warnings,
        { rule: 'JN-107', path: '', message: 'the rule failed, only the others were asked: boom' },
      ]),
    )
    expect(failed.warnings.map(({ rule }) => rule)).toContain('JN-212')
    expect(failed.failures).toEqual([{ rule: 'JN-107', error }])
    expect(sound.failures).toBeUndefined()
  })

  test('over the stored object alone denies nothing that may have been wrong with it', () => {
    const onlyOld: JudgeInput['facts'] = {
      userDataProblem: (text) => {
        if (text === 'old') throw error
        return 'no TOML'
      },
    }
    const now = verdictOf(nodeClass(), { facts: onlyOld, oldObject: nodeClass({ userData: 'old' }) })
    expect(now.errors.map(({ rule }) => rule)).not.toContain('JN-107')
    expect(now.failures).toEqual([{ rule: 'JN-107', error }])
  })
})

test('a bound that is passed keeps no rule of ours from being reported, a missing field does', () => {
  const both = pool({ requirements: [spotless], weight: 0 })
  expect(verdictOf(both).errors.map(({ rule }) => rule)).toEqual(['schema', 'JN-104'])
  const misshapen = pool({ requirements: [spotless], extra: { disruption: {} } })
  expect(new Set(verdictOf(misshapen).errors.map(({ rule }) => rule))).toEqual(new Set(['schema']))
})

test('without a name the rules in CEL are not asked, as by a server', () => {
  const { metadata, ...rest } = celError
  const { errors } = verdictOf({ ...rest, metadata: { ...metadata, name: '' } }, { rules: 'crd' })
  expect(errors.map(({ rule, path }) => [rule, path])).toEqual([
    ['schema', 'metadata.name'],
    ['schema', '<nil>'],
  ])
})

test('wrong metadata hide nothing else that the schema refuses', () => {
  const metadata = { ...schemaError.metadata, name: '', labels: { 'a b': 'c' } }
  const { errors } = verdictOf({ ...schemaError, metadata }, { rules: 'crd' })
  expect(errors.map(({ path }) => path)).toEqual(['metadata.name', 'metadata.labels', 'spec.weight', '<nil>'])
})

test('metadata that are no object are told of once', () => {
  const metadata = 'web' as unknown as KubeObject['metadata']
  const { errors } = verdictOf({ ...schemaError, metadata }, { rules: 'crd' })
  expect(errors.map(({ path }) => path)).toEqual(['metadata', 'spec.weight', '<nil>'])
})

test('with the rules of the definitions alone, nothing else is looked at', () => {
  expect(verdictOf(ruleError, { rules: 'crd' })).toEqual({ allowed: true, errors: [], warnings: [] })
  expect(verdictOf(celError, { rules: 'crd' }).allowed).toBe(false)
})

test('the severity of a rule can be set', () => {
  expect(verdictOf(ruleError, { severities: { 'JN-104': 'off' } })).toEqual({ allowed: true, errors: [], warnings: [] })
  const warned = verdictOf(ruleError, { severities: { 'JN-104': 'warn' } })
  expect([warned.allowed, warned.warnings.map(({ rule }) => rule)]).toEqual([true, ['JN-104']])
  expect(warned.warnings[0]?.message.length).toBeLessThanOrEqual(120)
})

test('unknown fields are remarked on', () => {
  expect(verdictOf(pool({ extra: { wieght: 3 } })).warnings).toEqual([
    { rule: 'schema', path: 'spec.wieght', message: 'unknown field "spec.wieght"' },
  ])
})

test('the name of an unknown field that is too long ends in a sign that it was cut', () => {
  const [warning] = verdictOf(pool({ extra: { ['w'.repeat(200)]: 3 } })).warnings
  expect(warning?.message).toBe(`unknown field "spec.${'w'.repeat(99)}…`)
  expect(warning?.message).toHaveLength(120)
})

describe('an update', () => {
  test('is not denied for what was wrong before', () => {
    const verdict = verdictOf(pool({ requirements: [spotless], weight: 5 }), { oldObject: ruleError })
    expect([verdict.allowed, verdict.warnings.map(({ rule }) => rule)]).toEqual([true, ['JN-104']])
  })

  test('is denied for what it makes worse', () => {
    const worse = pool({ requirements: [spotless, { key: 'a', operator: 'In', values: ['b c'] }] })
    expect(verdictOf(worse, { oldObject: ruleError }).errors).toHaveLength(1)
  })

  test('is denied for what is wrong once more, and told of where it is new', () => {
    const budget = { nodes: '1', schedule: '61 * * * *', duration: '1h' }
    const withBudgets = (...budgets: object[]) => pool({ extra: { disruption: { consolidateAfter: '0s', budgets } } })
    const oldObject = withBudgets(budget)
    const worse = verdictOf(withBudgets(budget, { ...budget, nodes: '2' }), { oldObject })
    expect(worse.errors.map(({ path }) => path)).toEqual(['spec.disruption.budgets[1].schedule'])
    expect(worse.warnings.map(({ path }) => path)).toEqual(['spec.disruption.budgets[0].schedule'])
  })

  test('is not denied for what was wrong twice and still is', () => {
    const budgets = ['1', '2'].map((nodes) => ({ nodes, schedule: '61 * * * *', duration: '1h' }))
    const twice = (weight: number) => pool({ weight, extra: { disruption: { consolidateAfter: '0s', budgets } } })
    const kept = verdictOf(twice(2), { oldObject: twice(1) })
    expect([kept.errors, kept.warnings.map(({ rule }) => rule)]).toEqual([[], ['JN-101', 'JN-101']])
  })

  test('is not denied for what it only moves', () => {
    const budget = { nodes: '1', schedule: '61 * * * *', duration: '1h' }
    const withBudgets = (...budgets: object[]) => pool({ extra: { disruption: { consolidateAfter: '0s', budgets } } })
    const moved = verdictOf(withBudgets({ nodes: '3' }, budget), { oldObject: withBudgets(budget) })
    expect([moved.errors, moved.warnings.map(({ rule }) => rule)]).toEqual([[], ['JN-101']])
  })

  test('is not denied for what is left of what it mends', () => {
    const oldObject = pool({ requirements: [{ key: 'a', operator: 'In', values: ['b c', 'd e'] }] })
    const better = pool({ requirements: [{ key: 'a', operator: 'In', values: ['b c', 'd'] }] })
    expect(verdictOf(better, { oldObject }).errors).toEqual([])
    expect(verdictOf(oldObject, { oldObject: better }).errors.map(({ rule }) => rule)).toEqual(['JN-104'])
    const bottlerocket = (kubelet: object): KubeObject & { spec: object } => ({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name: 'c', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        role: 'r',
        amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
        subnetSelectorTerms: [{ id: 'subnet-1' }],
        securityGroupSelectorTerms: [{ id: 'sg-1' }],
        kubelet,
      },
    })
    const both = bottlerocket({ serializeImagePulls: false, podPidsLimit: 9, clusterDNS: ['10.0.0.1', '10.0.0.2'] })
    const one = bottlerocket({ podPidsLimit: 9, clusterDNS: ['10.0.0.1', '10.0.0.2'] })
    expect(verdictOf(one, { oldObject: both }).errors).toEqual([])
    expect(verdictOf(both, { oldObject: one }).errors.map(({ rule }) => rule)).toEqual(['JN-106'])
  })

  test('is not denied for fewer labels that are still too many', () => {
    const labelled = (count: number): KubeObject => {
      const { template } = pool().spec as { template: object }
      const labels = Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, 'a']))
      return pool({ extra: { template: { ...template, metadata: { labels } } } })
    }
    expect(verdictOf(labelled(99)).errors.map(({ rule }) => rule)).toEqual(['JN-104'])
    expect(verdictOf(labelled(98), { oldObject: labelled(99) }).errors).toEqual([])
  })

  describe('of what an older definition let be stored misshapen', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoSchedule' },
    ]
    const template = { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'd' }, taints } }
    const misshapen = pool({ extra: { template } })
    const whole = { spec: { ...template.spec, requirements: [] } }
    const mended = pool({ extra: { template: whole } })

    test('is not denied for what else was wrong before', () => {
      const verdict = verdictOf(mended, { oldObject: misshapen })
      expect([verdict.allowed, verdict.warnings.map(({ rule }) => rule)]).toEqual([true, ['JN-104']])
      expect(verdictOf(mended).allowed).toBe(false)
    })

    test('is still denied by what an API server refuses', () => {
      const { errors } = verdictOf(pool({ extra: { template: whole, weight: 0 } }), {
        oldObject: misshapen,
      })
      expect(errors.map(({ rule, path }) => [rule, path])).toEqual([['schema', 'spec.weight']])
    })

    test.each(['x', [{ key: 'a' }]])(
      'passes where it leaves that alone, and no rule stumbles over %j',
      (requirements) => {
        const stored = (weight: number): KubeObject & { spec: object } =>
          pool({ weight, extra: { template: { spec: { ...template.spec, requirements } } } })
        expect(verdictOf(stored(5), { oldObject: stored(4) })).toEqual({ allowed: true, errors: [], warnings: [] })
      },
    )
  })

  test('of an object whose status is misshapen is denied for what it makes worse', () => {
    const oldObject = { ...pool(), status: { nodes: 'many' } }
    expect(verdictOf(ruleError, { oldObject }).errors.map(({ rule }) => rule)).toEqual(['JN-104'])
  })

  test('that only writes down what is so by default says nothing', () => {
    const disruption = { consolidateAfter: '0s', budgets: [] }
    const oldObject = pool({ extra: { disruption } })
    const written = pool({ extra: { disruption: { ...disruption, consolidationPolicy: 'WhenEmptyOrUnderutilized' } } })
    expect(verdictOf(written).warnings.map(({ rule }) => rule)).toEqual(['JN-208'])
    expect(verdictOf(written, { oldObject })).toEqual({ allowed: true, errors: [], warnings: [] })
  })

  test('of metadata alone passes, whatever is wrong', () => {
    const labelled = { ...schemaError, metadata: { ...schemaError.metadata, labels: { a: 'b' } } }
    expect(verdictOf(labelled, { oldObject: schemaError })).toEqual({ allowed: true, errors: [], warnings: [] })
  })

  test('of labels is denied for a name that is wrong, but not for one that was wrong before', () => {
    const [labels, more] = [{ 'a b': 'c' }, { 'a b': 'c', d: 'e' }]
    expect(verdictOf(pool({ labels: more }), { oldObject: pool({ labels }) }).allowed).toBe(true)
    const worse = verdictOf(pool({ labels: { ...labels, 'd e': 'f' } }), { oldObject: pool({ labels }) })
    expect(worse.errors.map(({ path, message }) => [path, message.slice(0, 20)])).toEqual([
      ['metadata.labels', 'Invalid value: "d e"'],
    ])
  })

  test('of an object under deletion passes', () => {
    expect(verdictOf(pool({ deleted: true, weight: 0 }), { oldObject: pool({ deleted: true }) }).allowed).toBe(true)
  })
})

test('an object is judged whatever it says of its deletion, which only the stored one knows', () => {
  for (const deletionTimestamp of [null, '2026-01-02T00:00:00Z']) {
    const metadata = { ...schemaError.metadata, deletionTimestamp } as KubeObject['metadata']
    expect(verdictOf({ ...schemaError, metadata }).allowed).toBe(false)
    expect(verdictOf({ ...schemaError, metadata }, { oldObject: pool() }).allowed).toBe(false)
  }
})

test('deletion and kinds of others pass', () => {
  expect(verdictOf(schemaError, { operation: 'DELETE' }).allowed).toBe(true)
  expect(verdictOf({ ...schemaError, apiVersion: 'v1', kind: 'Pod' }).allowed).toBe(true)
})

describe('the status of a manifest, which a server drops unread', () => {
  // As what was read from a cluster of another version has it.
  const status = { conditions: [{ type: 'Ready' }], nodes: 'many', bogus: 1 }

  test.each([status, [], 'x'])('is not held against it: %j', (written) => {
    const verdict = verdictOf({ ...pool(), status: written } as KubeObject, { rules: 'crd' })
    expect(verdict.errors).toEqual([])
    expect(verdictOf({ ...pool({ weight: 2 }), status: written } as KubeObject, { oldObject: pool() }).errors).toEqual(
      [],
    )
  })

  test('is looked at for fields that nobody knows, as metadata are', () => {
    const metadata = { ...pool().metadata, lables: { a: 'b' } }
    const { warnings } = verdictOf({ ...pool(), metadata, status } as KubeObject, { rules: 'crd' })
    expect(warnings.map(({ path }) => path)).toEqual(['metadata.lables', 'status.bogus'])
    const either = [
      { ...pool(), metadata },
      { ...pool(), status },
    ] as KubeObject[]
    expect(either.map((object) => verdictOf(object, { rules: 'crd' }).warnings.map(({ path }) => path))).toEqual([
      ['metadata.lables'],
      ['status.bogus'],
    ])
  })
})

test.each(['Never', '9999999999999h'])(
  'a grace period of %s, which has no hash, is refused and not stumbled over',
  (text) => {
    const unreadable = pool()
    const { template } = unreadable.spec as { template: { spec: Record<string, unknown> } }
    template.spec['terminationGracePeriod'] = text
    const claim = { ...pool(), kind: 'NodeClaim', metadata: { name: 'c', labels: { 'karpenter.sh/nodepool': 'p' } } }
    const facts = { nodeClaims: [claim as unknown as NodeClaim] }
    expect(verdictOf(unreadable, { oldObject: pool(), facts }).allowed).toBe(false)
    expect(verdictOf(pool(), { oldObject: unreadable, facts }).allowed).toBe(true)
  },
)

test('a label or a tag may have the name of what JavaScript knows of every object', () => {
  for (const key of ['constructor', '__proto__', 'toString', 'prototype', 'hasOwnProperty']) {
    const tags = JSON.parse(`{${JSON.stringify(key)}:"a"}`) as object
    const spec = {
      amiSelectorTerms: [{ alias: 'al2023@v20240625' }],
      role: 'r',
      subnetSelectorTerms: [{ tags }],
      securityGroupSelectorTerms: [{ tags }],
      tags,
    }
    const nodeClass = { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name: 'a' }, spec }
    expect([key, verdictOf(nodeClass as unknown as KubeObject).errors]).toEqual([key, []])
  }
})

describe('what has been found sound before', () => {
  const overlapping = { ...pool(), metadata: { ...pool().metadata, name: 'other' } } as unknown as NodePool

  test('is still held against the cluster as it is now', () => {
    expect(verdictOf(pool(), { facts: { nodePools: [] } }).warnings).toEqual([])
    const warned = verdictOf(pool(), { facts: { nodePools: [overlapping] } })
    expect(warned.warnings.map(({ rule }) => rule)).toEqual(['JN-211'])
    expect(verdictOf(pool(), { facts: { nodePools: [] } }).warnings).toEqual([])
  })

  test('is not what was judged with a rule turned off, or by the definitions alone', () => {
    const wrong = pool({ requirements: [{ ...spotless, values: ['yspot'] }] })
    expect(verdictOf(wrong, { severities: { 'JN-104': 'off' } }).allowed).toBe(true)
    expect(verdictOf(wrong, { rules: 'crd' }).allowed).toBe(true)
    expect(verdictOf(wrong).allowed).toBe(false)
  })

  test('is not mistaken for an object with a number that JSON cannot write', () => {
    expect(verdictOf(pool({ extra: { weight: null } })).allowed).toBe(true)
    expect(verdictOf(pool({ extra: { weight: Number.POSITIVE_INFINITY } })).allowed).toBe(false)
  })

  test('is not mistaken for an object that lacks a part of it', () => {
    expect(verdictOf(pool()).allowed).toBe(true)
    const { spec: _gone, ...rest } = pool()
    expect(verdictOf(rest).errors.map(({ path }) => path)).toEqual(['spec', '<nil>'])
  })

  test('is another object under another name or with other labels', () => {
    expect(verdictOf(pool()).allowed).toBe(true)
    expect(verdictOf({ ...pool(), metadata: { ...pool().metadata, name: 'P_1' } }).allowed).toBe(false)
    expect(verdictOf(pool({ labels: { 'a b': 'c' } })).allowed).toBe(false)
  })
})

test('a rule that is said to look at the object alone looks at nothing else', () => {
  const untouchable = new Proxy<RuleContext>(
    { facts: {}, now: 0 },
    {
      get: (_target, name) => {
        throw new Error(`looked at ${String(name)}`)
      },
    },
  )
  const subjects = [
    pool(),
    ruleError,
    pool({ requirements: [{ key: 'a', operator: 'In', values: ['b'], minValues: 1 }] }),
  ]
  const asked = rules.filter(({ looksAt }) => looksAt === 'object')
  for (const rule of asked) {
    for (const object of subjects as unknown as NodePool[]) {
      expect(() => rule.check({ kind: 'NodePool', object, old: undefined }, untouchable)).not.toThrow()
    }
  }
  expect(asked.length).toBeGreaterThan(5)
})
