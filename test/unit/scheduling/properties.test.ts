import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import type { ResourceListText } from '../../../src/api/kubernetes.ts'
import { compareText } from '../../../src/model/order.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import { parseQuantity, type Quantity } from '../../../src/model/quantity.ts'
import { subtractResources, toLimits } from '../../../src/model/resources.ts'
import { prepare, type Placement, solve, solveInSlices } from '../../../src/scheduling/index.ts'
import { diversePods } from '../../bench/workloads.ts'
import { type ArbitraryWorld, arbitraryWorld } from '../../support/arbitrary-worlds.ts'
import { violations } from '../../support/placement-checker.ts'
import { richWorld } from '../../support/rich-worlds.ts'
import { aPod, aPool, aSnapshot, aType, fakeTypes, instanceTypeKey } from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

function place(world: ArbitraryWorld, pods: readonly PodInfo[] = world.pods): Placement {
  return solve(prepare(aSnapshot(world), testSettings, pods), { pods })
}

function outcome(placement: Placement): unknown {
  return {
    plans: placement.newNodePlans.map((plan) => [
      plan.nodePool,
      plan.instanceTypes.map(({ name }) => name),
      plan.pods.map(({ name }) => name),
      [...plan.requests].map(([name, quantity]) => `${name}=${quantity}`),
    ]),
    existing: placement.existing.map(({ node, pods }) => [node.key, pods.map(({ name }) => name)]),
    failures: placement.failures.map(({ pod, text }) => [pod.name, text]),
  }
}

/** Snapshots have their nodes in this order. */
function inNodeOrder(placement: Placement): unknown {
  const existing = placement.existing.toSorted((a, b) => compareText(a.node.key, b.node.key))
  return outcome({ ...placement, existing })
}

function withLimits(pool: NodePool, limits: ResourceListText): NodePool {
  return { ...pool, spec: { ...pool.spec, limits } }
}

function withMore(pool: NodePool, more: ReadonlyMap<string, Quantity>): NodePool {
  const limits = [...toLimits(pool.spec.limits)].map(([name, limit]) => {
    const amount = more.get(name)
    return [name, String(amount === undefined ? limit : limit.add(amount))]
  })
  return withLimits(pool, Object.fromEntries(limits))
}

function withMinValues(pool: NodePool, minValues: number | undefined): NodePool {
  if (minValues === undefined) return pool
  const { template } = pool.spec
  const types = { key: instanceTypeKey, operator: 'Exists' as const, minValues }
  const spec = { ...template.spec, requirements: [...(template.spec.requirements ?? []), types] }
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec } } }
}

describe('in every world', () => {
  test('the placement stands up to what Kubernetes documents', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        expect(violations(world.pods, place(world), aSnapshot(world).nodes)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('the order in which pods, nodes, pools and daemons are listed does not matter', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryWorld, richWorld), fc.infiniteStream(fc.nat()), (world, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((item) => ({ item, at: numbers.next().value ?? 0 }))
            .toSorted((a, b) => a.at - b.at)
            .map(({ item }) => item)
        const nodes = (world.nodes ?? []).map((node) => ({ ...node, pods: shuffled(node.pods) }))
        const other = {
          ...world,
          pods: shuffled(world.pods),
          pools: shuffled(world.pools ?? []),
          nodes: shuffled(nodes),
          daemonSets: shuffled(world.daemonSets ?? []),
        }
        expect(inNodeOrder(place(other))).toEqual(inNodeOrder(place(world)))
      }),
      { numRuns: 120 },
    )
  })

  test('solving twice on one prepared snapshot gives the same, whatever was solved in between', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const context = prepare(aSnapshot(world), testSettings, world.pods)
        const first = outcome(solve(context, { pods: world.pods }))
        const excludedNodes = new Set(context.snapshot.nodes.slice(0, 1).map(({ key }) => key))
        const moved = context.snapshot.nodes.slice(0, 1).flatMap(({ pods }) => pods)
        solve(context, { pods: [...world.pods, ...moved], excludedNodes, reservedMode: 'fallback' })
        expect(outcome(solve(context, { pods: world.pods }))).toEqual(first)
      }),
      { numRuns: 150 },
    )
  })

  test('a simulation on a shared context is what a solve on the smaller cluster would be', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const snapshot = aSnapshot(world)
        const [gone, ...rest] = snapshot.nodes
        if (gone === undefined || gone.markedForDeletion) return
        const moved = gone.pods
        const shared = prepare(snapshot, testSettings, world.pods)
        const simulated = solve(shared, { pods: [...world.pods, ...moved], excludedNodes: new Set([gone.key]) })
        const pending = moved.map((pod) => ({ ...pod, nodeName: '', phase: 'Pending' as const }))
        const smaller = { ...world, nodes: rest, pods: [...world.pods, ...pending] }
        expect(outcome(simulated)).toEqual(outcome(place(smaller)))
      }),
      { numRuns: 200 },
    )
  })

  test('a pod that would fit with more under the limits fits once they have it', () => {
    const limits = fc.record(
      {
        cpu: fc.constantFrom('0', '1', '3', '4'),
        memory: fc.constantFrom('0', '1Gi', '4Gi'),
        nodes: fc.constantFrom('0', '1'),
      },
      { requiredKeys: [] },
    )
    const minValues = fc.constantFrom(undefined, undefined, 2, 4)
    let told = 0
    fc.assert(
      fc.property(arbitraryWorld, limits, minValues, (world, scarce, least) => {
        const [pod] = world.pods
        if (pod === undefined) return
        const pools = (world.pools ?? []).map((pool) =>
          withLimits(withMinValues(pool, least), { ...pool.spec.limits, ...scarce }),
        )
        const [failure] = place({ ...world, pools, pods: [pod] }).failures
        if (failure?.because.kind !== 'pools') return
        for (const { nodePool, nearestMiss } of failure.because.pools) {
          const text = nearestMiss?.text ?? ''
          if (!text.startsWith('would fit with ')) continue
          const more = new Map(
            [...text.matchAll(/(\S+) more under limits\.(\S+)/g)].map(([, amount = '', name = '']) => [
              name,
              parseQuantity(amount),
            ]),
          )
          if (more.size === 0) continue
          told += 1
          const raised = pools.map((pool) => (pool.metadata.name === nodePool ? withMore(pool, more) : pool))
          expect(place({ ...world, pools: raised, pods: [pod] }).failures).toEqual([])
        }
      }),
      { numRuns: 400 },
    )
    expect(told).toBeGreaterThan(40)
  })

  test('a pod that would fit with less fits when it asks for less', () => {
    let told = 0
    fc.assert(
      fc.property(fc.oneof(arbitraryWorld, richWorld), fc.constantFrom('4', '8', '17'), (world, cpu) => {
        const [first] = world.pods
        if (first === undefined) return
        const pod = { ...first, requests: new Map([...first.requests, ['cpu', parseQuantity(cpu)]]) }
        const [failure] = place(world, [pod]).failures
        if (failure?.because.kind !== 'pools') return
        for (const { nearestMiss } of failure.because.pools) {
          const [, amount, name] = /^would fit on \S+ with (\S+) less (\S+)$/.exec(nearestMiss?.text ?? '') ?? []
          if (amount === undefined || name === undefined) continue
          told += 1
          const requests = subtractResources(pod.requests, new Map([[name, parseQuantity(amount)]]))
          expect(place(world, [{ ...pod, requests }]).failures).toEqual([])
        }
      }),
      { numRuns: 300 },
    )
    expect(told).toBeGreaterThan(10)
  })

  test('one pod that cannot be helped changes nothing for the others', () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const hopeless = aPod({
          name: 'zz',
          uid: 'zz',
          namespace: 'zz',
          requests: { cpu: '1k' },
          nodeSelector: { no: 'where' },
        })
        const with_ = place(world, [...world.pods, hopeless])
        const without = place(world)
        expect({ ...(outcome(with_) as object), failures: 0 }).toEqual({ ...(outcome(without) as object), failures: 0 })
      }),
      { numRuns: 100 },
    )
  })
})

test('small sets of pods need no more nodes than the best packing, where all pods are alike', () => {
  const types = [aType({ name: 'four', cpu: '4100m', memory: '16Gi', pods: '100' })]
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.constantFrom(500, 1000, 2000), (count, milli) => {
      const pods = Array.from({ length: count }, (_, i) => aPod({ name: `p${i}`, requests: { cpu: `${milli}m` } }))
      const placement = solve(prepare(aSnapshot({ types, pools: [aPool()] }), testSettings, pods), { pods })
      expect(placement.newNodePlans.length).toBe(Math.ceil((count * milli) / 4000))
    }),
  )
})

test('a brute force over all partitions finds no feasible packing for pods that the solver gives up', () => {
  const types = [aType({ name: 'two', cpu: '2100m', memory: '4Gi', pods: '3' })]
  const sizes = fc.array(fc.constantFrom('500m', '1', '1500m', '2', '2500m'), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(sizes, (cpus) => {
      const pods = cpus.map((cpu, i) => aPod({ name: `p${i}`, requests: { cpu } }))
      const placement = solve(prepare(aSnapshot({ types, pools: [aPool()] }), testSettings, pods), { pods })
      const impossible = cpus.filter((cpu) => cpu === '2500m').length
      expect(placement.failures).toHaveLength(impossible)
    }),
  )
})

test('a long solve hands back control often', () => {
  const pods = diversePods(3000)
  const context = prepare(aSnapshot({ pools: [aPool()], types: fakeTypes(100) }), testSettings, pods)
  let slices = 0
  const work = solveInSlices(context, { pods })
  for (let step = work.next(); step.done !== true; step = work.next()) slices += 1
  expect(slices).toBeGreaterThan(10)
})
