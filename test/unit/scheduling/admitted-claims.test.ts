import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/generated/crds.gen.ts'
import { coreVocabulary } from '../../../src/api/label-rules.ts'
import { admit, compileVersion } from '../../../src/api/validation/custom-resource.ts'
import { type NodePlan, toNodeClaim } from '../../../src/scheduling/index.ts'
import { rejectionOf } from '../../../src/scheduling/pod-validation.ts'
import { aPod, aPool, aSnapshot, aType, type PodOptions } from '../../support/scheduling-world.ts'
import { errorsOf, solveWorld } from '../../support/solving.ts'

type Expression = Readonly<{ key: string; operator: string; values?: string[] }>
type Strength = 'required' | 'preferred'

const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === 'NodeClaim')
const compiled = definition && compileVersion(definition, 'v1')
const windowsBuild = 'node.kubernetes.io/windows-build'
const types = [aType({ name: 'small', cpu: '2', memory: '4Gi' })]
const pools = [aPool({ requirements: [{ key: 'num', operator: 'Exists' }] })]

function asking(strength: Strength, matchExpressions: readonly Expression[]): PodOptions {
  const term = { matchExpressions: [...matchExpressions] }
  const nodeAffinity =
    strength === 'required'
      ? { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
      : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term }] }
  return { affinity: { nodeAffinity } }
}

function refusals(plan: NodePlan): readonly string[] {
  if (compiled === undefined) throw new Error('no definition of NodeClaims')
  const claim = toNodeClaim(plan, coreVocabulary)
  return admit(compiled, { ...claim, metadata: { ...claim.metadata, name: 'np-1' } }).errors.map(
    ({ message }) => message,
  )
}

/** What comes of a pod with such expressions, and of a plain one beside it. */
function planned(strength: Strength, expressions: readonly Expression[]) {
  const odd = aPod({ name: 'odd', requests: { cpu: '100m' }, ...asking(strength, expressions) })
  const isIgnored = rejectionOf(odd, { volumes: aSnapshot().volumes, vocabulary: coreVocabulary }) !== undefined
  const pods = [...(isIgnored ? [] : [odd]), aPod({ name: 'plain', requests: { cpu: '100m' } })]
  const placement = solveWorld({ pools, types, pods }, { settings: { vocabulary: coreVocabulary } })
  return {
    isIgnored,
    pods: placement.newNodePlans.flatMap((plan) => plan.pods.map(({ name }) => name)).toSorted(),
    written: placement.newNodePlans.flatMap((plan) =>
      toNodeClaim(plan, coreVocabulary).spec.requirements.filter(({ key }) =>
        expressions.some((one) => one.key === key),
      ),
    ),
    refusals: placement.newNodePlans.flatMap(refusals),
    errors: errorsOf(placement),
  }
}

describe('a bound that a pod asks for', () => {
  const cases: Record<string, { strength?: Strength; bound: readonly [string, string]; want: readonly object[] }> = {
    'is written to the last digit': {
      bound: ['Lt', '9223372036854775807'],
      want: [{ key: windowsBuild, operator: 'Lte', values: ['9223372036854775806'] }],
    },
    'is written to the last digit where numbers begin to be inexact': {
      bound: ['Gt', '9007199254740991'],
      want: [{ key: windowsBuild, operator: 'Gte', values: ['9007199254740992'] }],
    },
    'is the nearest there is, beyond 64 bits in a preference': {
      strength: 'preferred',
      bound: ['Lt', '99999999999999999999999'],
      want: [{ key: windowsBuild, operator: 'Lte', values: ['9223372036854775806'] }],
    },
    'is no lower than labels can be': {
      strength: 'preferred',
      bound: ['Gt', '-5'],
      want: [{ key: windowsBuild, operator: 'Gte', values: ['0'] }],
    },
    'is given up as a preference that nothing meets': { strength: 'preferred', bound: ['Lt', 'abc'], want: [] },
  }
  test.each(Object.entries(cases))('%s', (_name, { strength = 'required', bound: [operator, value], want }) => {
    const { written, ...rest } = planned(strength, [{ key: windowsBuild, operator, values: [value] }])
    expect(written).toEqual(want)
    expect(rest).toEqual({ isIgnored: false, pods: ['odd', 'plain'], refusals: [], errors: [] })
  })

  test('below zero is met by no node, even where nothing is known of the label', () => {
    const {
      pods,
      refusals: refused,
      errors,
    } = planned('required', [{ key: windowsBuild, operator: 'Lt', values: ['0'] }])
    expect({ pods, refused }).toEqual({ pods: ['plain'], refused: [] })
    expect(errors).toEqual([
      `incompatible requirements, key ${windowsBuild}, ${windowsBuild} Exists <=-1 not in ${windowsBuild} Exists`,
    ])
  })
})

test('a label of a domain that the definition refuses for its ending is left to the labels', () => {
  const { pods, refusals: refused } = planned('required', [
    { key: 'notkarpenter.sh/x', operator: 'NotIn', values: ['a'] },
  ])
  expect({ pods, refused }).toEqual({ pods: ['odd', 'plain'], refused: [] })
})

test('more exclusions than a claim may name are left off', () => {
  const many = Array.from({ length: 120 }, (_, index) => ({ key: `team-${index}`, operator: 'NotIn', values: ['a'] }))
  const { pods, refusals: refused } = planned('required', many)
  expect({ pods, refused }).toEqual({ pods: ['odd', 'plain'], refused: [] })
})

test('whatever a pod says, no claim is refused, and the pod beside it has its place', () => {
  const edges = ['-1', '', '+5', '0', '1', '007', 'abc', '1e3', '9007199254740991', '9007199254740992'].concat([
    '9223372036854775806',
    '9223372036854775807',
    '9223372036854775808',
    '-9223372036854775809',
    '9'.repeat(40),
  ])
  const expression: fc.Arbitrary<Expression> = fc.record({
    key: fc.constantFrom(
      windowsBuild,
      'num',
      'team',
      'topology.kubernetes.io/zone',
      'notkarpenter.sh/x',
      'karpenter.sh/x',
    ),
    operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte', 'In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(fc.constantFrom(...edges), { minLength: 1, maxLength: 2 }),
  })
  fc.assert(
    fc.property(
      fc.constantFrom<Strength>('required', 'preferred'),
      fc.array(expression, { minLength: 1, maxLength: 3 }),
      (strength, expressions) => {
        const { pods, refusals: refused } = planned(strength, expressions)
        expect(refused).toEqual([])
        expect(pods).toContain('plain')
      },
    ),
    { numRuns: 400 },
  )
})
