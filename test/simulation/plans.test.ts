import { beforeAll, describe, expect, test } from 'vitest'
import { labelZone } from '../../src/api/labels.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { toRequirement } from '../../src/model/requirement.ts'
import type { PlacementObserver } from '../../src/operator/solver/index.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { planErrors } from './invariants/plans.ts'
import { minute } from './world.ts'

type Decided = Parameters<PlacementObserver>[0]

const zoned = (zone: string) => toRequirement(labelZone, 'In', [zone])

/** A plan of a real operator for nine pods, three for each zone, beside those that run; each case spoils it in another way. */
describe('I27: a plan that kube-scheduler would not follow is told of', () => {
  let decided: Decided
  let scenario: Scenario

  beforeAll(async () => {
    const shapes = [{ name: 'web', replicas: 3, cpu: '3', memory: '2Gi', spread: true }]
    scenario = await startScenario({ shapes, database: 0 })
    const seen: Decided[] = []
    scenario.hooks.observePlacement((each) => void seen.push(each))
    const { client } = scenario.world.stack.cluster
    const body = { spec: { replicas: 12 } }
    await client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body })
    await scenario.run(5 * minute)
    expect(await scenario.end()).toEqual([])
    const whole = seen.find(({ placement }) => placement.newNodePlans.length >= 3)
    if (whole === undefined) throw new Error('nothing was planned')
    decided = whole
  })

  const spoilt = (change: (plan: Decided['placement']['newNodePlans'][number], index: number) => object): Decided => {
    const newNodePlans = decided.placement.newNodePlans.map((plan, index) => ({ ...plan, ...change(plan, index) }))
    return { ...decided, placement: { ...decided.placement, newNodePlans } }
  }
  const told = (plan: Decided) => planErrors(plan).map(({ subject, message }) => `${subject} ${message}`)

  test('as it was decided it is followed', () => {
    expect(told(decided)).toEqual([])
  })

  test('all in one zone', () => {
    const errors = told(
      spoilt(({ requirements }) => ({ requirements: new Map(requirements).set(labelZone, zoned('us-west-2a')) })),
    )
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors)
      expect(error).toMatch(
        /^web-\S+ is planned to .* in us-west-2a, .* not put it: topology.kubernetes.io\/zone .* maxSkew 1$/,
      )
  })

  test('while a cluster runs, too', () => {
    scenario.hooks.onPlacement(decided)
    expect(scenario.invariants.violations).toEqual([])
    scenario.hooks.onPlacement(
      spoilt(({ requirements }) => ({ requirements: new Map(requirements).set(labelZone, zoned('us-west-2a')) })),
    )
    expect(new Set(scenario.invariants.violations.map(({ invariant }) => invariant))).toEqual(new Set(['I27']))
  })

  test('in no zone in particular', () => {
    const errors = told(
      spoilt(({ requirements }) => ({
        requirements: new Map([...requirements].filter(([key]) => key !== labelZone)),
      })),
    )
    expect(errors).toContainEqual(
      expect.stringMatching(/^web-\S+ is planned to a node of any zone of us-west-2\w, us-/),
    )
  })

  test('more pods than the smallest of its types holds', () => {
    const [first] = decided.placement.newNodePlans
    const other = first?.pods[0]
    if (other === undefined) throw new Error('a plan without pods')
    const more = Array.from({ length: 3 }, (_, index) => ({
      ...other,
      uid: `more-${index}`,
      name: `more-${index}`,
      topologySpreadConstraints: [],
      labels: {},
    }))
    const errors = told(spoilt(({ pods }, index) => ({ pods: index === 0 ? [...pods, ...more] : pods })))
    expect(errors).toContainEqual(expect.stringMatching(/^more-2 .* Insufficient cpu/))
  })

  test('where a taint keeps it away', () => {
    const errors = told(
      spoilt(({ pool }) => {
        const { template } = pool.spec
        const taints = [{ key: 'example.com/batch', effect: 'NoSchedule' as const }]
        return {
          pool: { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, taints } } } },
        }
      }),
    )
    expect(errors).toContainEqual(expect.stringMatching(/^web-\S+ .* had untolerated taint \{example.com\/batch: \}/))
  })

  test('on a node that is there, beyond its room', () => {
    const [node] = decided.request.snapshot.nodes.filter(({ managed }) => managed)
    const pods = decided.placement.newNodePlans.flatMap((plan) => plan.pods)
    if (node === undefined) throw new Error('no node')
    const placement = { ...decided.placement, newNodePlans: [], existing: [{ node, pods }] }
    expect(told({ ...decided, placement })).toContainEqual(expect.stringMatching(/^web-\S+ .* Insufficient cpu/))
  })

  test('pods without the constraint that tip it over later', () => {
    const [first] = decided.placement.newNodePlans
    const other = first?.pods[0]
    if (other === undefined) throw new Error('a plan without pods')
    const more = { ...other, uid: 'late', name: 'late', topologySpreadConstraints: [], requests: new Map() }
    const twice = [more, { ...more, uid: 'later', name: 'later' }]
    const errors = told(spoilt(({ pods }, index) => ({ pods: index === 0 ? [...pods, ...twice] : pods })))
    expect(errors).toContainEqual(
      expect.stringMatching(/ the plan leaves a skew of [23] over topology.kubernetes.io\/zone, 1 is allowed$/),
    )
  })
})
