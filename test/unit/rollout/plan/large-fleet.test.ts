import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { planOf } from '../../../support/plan-of.ts'

/*
 * Beyond seventy nodes of seventy, replacements are judged in groups. What does not depend on the order within a group must come out as
 * it would node by node.
 */

const count = 80
const pool: FleetPoolOptions = {
  disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '10' }] },
}

function aLargeFleet(options: { readonly pods?: (index: number) => number } = {}): readonly KubeObject[] {
  const { pods = () => 1 } = options
  const [own, nodeClass] = [aFleetPool(pool), aFleetClass()]
  const machines = Array.from({ length: count }, (_, index) => {
    const name = `n${String(index).padStart(3, '0')}`
    const running = Array.from({ length: pods(index) }, (__, slot) =>
      aPodOn(name, `pod-${index}-${slot}`, { cpu: '1500m' }),
    )
    return [...aMachine(name, own, nodeClass), ...running]
  })
  return [own, nodeClass, ...machines.flat()]
}

test('ten at a time, in order, each wave when the one before has gone', () => {
  const plan = planOf(aLargeFleet(), [aFleetPool({ ...pool, labels: { team: 'a' } })])
  expect(plan.waves.length).toBe(8)
  expect(plan.waves.map(({ nodes }) => nodes.length)).toEqual(Array.from({ length: 8 }, () => 10))
  expect(plan.waves.flatMap(({ nodes }) => nodes)).toEqual(plan.nodes.map(({ node }) => node))
  expect(plan.durationSeconds).toBe(8 * 180)
  // Eighty of 0.096, and ten more while they are replaced.
  expect(plan.cost).toEqual({ before: 7.68, during: 8.64, after: 7.68 })
})

test('pods that tolerate no new node keep their nodes, and empty nodes go all the same', () => {
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
  const isEmpty = (index: number): boolean => index % 4 === 0
  const fleet = aLargeFleet({ pods: (index) => (isEmpty(index) ? 0 : 1) })
  const plan = planOf(fleet, [aFleetPool({ ...pool, template: { taints } })])
  const gone = plan.nodes.filter(({ wave }) => wave !== null)
  expect(gone.length).toBe(20)
  expect(plan.blockedBy.length).toBe(60)
  expect(plan.unplaceablePods.length).toBe(60)
  for (const { pod, node, message } of plan.unplaceablePods) {
    expect(pod).toBe(`default/pod-${Number(node.slice(1))}-0`)
    expect(message).toBe('did not tolerate taint (taint=team=a:NoSchedule)')
  }
})

test('what comes for a node holds back those whose pods would take its place, so waves are not as wide as the budget', () => {
  const tight = { ...pool, template: { requirements: onlyLarge() } }
  const plan = planOf(aLargeFleet(), [aFleetPool({ ...tight, labels: { team: 'a' } })])
  expect(plan.nodes.every(({ wave }) => wave !== null)).toBe(true)
  // Pods of 1.5 cores of nodes with two: each new node has room for one, and whoever is asked first takes it.
  const each = planOf(aLargeFleet(), [aFleetPool({ ...tight, labels: { team: 'a' } })], {
    exactMax: Number.POSITIVE_INFINITY,
  })
  expect(plan.waves).toEqual(each.waves)
})

function onlyLarge() {
  return aFleetPool().spec.template.spec.requirements.map((entry) =>
    entry.key === 'node.kubernetes.io/instance-type' ? { ...entry, values: ['m5.large'] } : entry,
  )
}

const someFleets = fc.record({
  budget: fc.constantFrom('1', '3', '10%', '30%', '100%'),
  machines: fc.array(
    fc.record({
      zone: fc.constantFrom('us-east-1a', 'us-east-1b'),
      large: fc.boolean(),
      pods: fc.array(fc.constantFrom(200, 500, 900, 1_500), { maxLength: 4 }),
      doNotDisrupt: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
    }),
    { minLength: 20, maxLength: 30 },
  ),
})

/** From the start of one replacement to its end, as `planOf` has it. */
const replacementMs = 180_000

test('judged in groups, the same nodes go for the same reasons, at nearly the same times as judged one by one', () => {
  let [nodes, onTime, far, seconds, secondsInGroups] = [0, 0, 0, 0, 0]
  for (const { budget, machines } of fc.sample(someFleets, { numRuns: 24, seed: 4 })) {
    const options = (labels: Record<string, string>): FleetPoolOptions => ({
      labels,
      disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: budget }] },
    })
    const [own, nodeClass] = [aFleetPool(options({})), aFleetClass()]
    const cluster = [
      own,
      nodeClass,
      ...machines.flatMap(({ zone, large, pods, doNotDisrupt }, at) => {
        const name = `n${String(at).padStart(2, '0')}`
        const annotations = doNotDisrupt ? { 'karpenter.sh/do-not-disrupt': 'true' } : {}
        return [
          ...aMachine(name, own, nodeClass, { zone, type: large ? 'm5.xlarge' : 'm5.large', annotations }),
          ...pods.map((milli, slot) => aPodOn(name, `pod-${at}-${slot}`, { cpu: `${milli}m`, memory: '256Mi' })),
        ]
      }),
    ]
    const manifests = [aFleetPool(options({ team: 'a' }))]
    const exact = planOf(cluster, manifests, { exactMax: Number.POSITIVE_INFINITY })
    const grouped = planOf(cluster, manifests, { exactMax: 0 })
    const told = ({ nodes: all, blockedBy }: typeof exact): object => ({
      nodes: all.map(({ node, action, reason, wave }) => ({ node, action, reason, goes: wave !== null })),
      blockedBy,
    })
    expect(told(grouped)).toEqual(told(exact))
    expect(exact.notices).toEqual([])
    expect(grouped.notices.join()).toContain('in groups')
    const startOf = new Map(
      exact.waves.flatMap(({ notBefore, nodes: names }) => names.map((name) => [name, notBefore])),
    )
    for (const { notBefore, nodes: names } of grouped.waves)
      for (const name of names) {
        nodes += 1
        if (startOf.get(name) === notBefore) onTime += 1
        if (Math.abs(Date.parse(startOf.get(name) ?? '') - Date.parse(notBefore)) > replacementMs) far += 1
      }
    seconds += exact.durationSeconds
    secondsInGroups += grouped.durationSeconds
  }
  expect(nodes).toBeGreaterThan(400)
  expect(onTime / nodes).toBeGreaterThan(0.7)
  expect(far / nodes).toBeLessThan(0.1)
  expect(secondsInGroups / seconds).toBeGreaterThan(0.95)
  expect(secondsInGroups / seconds).toBeLessThan(1.05)
})
