import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { LaunchedInstance } from '../../../../src/cloud/provider.ts'
import { evictionQueue, nodeTermination } from '../../../../src/controllers/node/index.ts'
import { machineLookup, nodeClaimLifecycle } from '../../../../src/controllers/nodeclaim/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPod, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld, FakeCloud } from '../../../support/controller-world.ts'

/** As EC2 with a client token: launching twice for one claim gives the same instance. */
class IdempotentCloud extends FakeCloud {
  readonly #byClaim = new Map<string, LaunchedInstance>()

  override async create(claim: NodeClaim): Promise<LaunchedInstance> {
    const known = this.#byClaim.get(claim.metadata.uid)
    if (known !== undefined) return known
    const launched = await super.create(claim)
    this.#byClaim.set(claim.metadata.uid, launched)
    return launched
  }
}

const writes = new Set(['create', 'update', 'patch', 'delete', 'evict'])
const claimKey = { name: 'c1' }

async function startProcess(world: ControllerWorld): Promise<() => Promise<void>> {
  const health = { recordSuccess: async () => undefined, recordFailure: async () => undefined }
  const evictions = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
  return world.start(
    nodeClaimLifecycle({ ...world, health }),
    evictions.controller,
    nodeTermination({ ...world, evictions }),
  )
}

/**
 * One machine from claim to nothing. The process dies at its nth write, before or after that took effect, and another one takes over
 * with nothing but what is stored. Returns how many writes the first process made.
 */
async function lifeOfAMachine(diesAt: number, effect: 'lost' | 'done'): Promise<number> {
  const first = aControllerWorld()
  const cloud = new IdempotentCloud(first.clock)
  const world = { ...first, cloud }
  let count = 0
  let dead = false
  const own = world.kube
  const dying: typeof own = new Proxy(own, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args)
      if (typeof property !== 'string' || !writes.has(property)) return call
      return async (...args: unknown[]) => {
        if (dead) throw new KubeError('Network', 0, 'the process is dead')
        count++
        if (count !== diesAt) return call(...args)
        dead = true
        if (effect === 'done') await call(...args)
        throw new KubeError('Network', 0, 'the process died')
      }
    },
  })
  const settled = async (): Promise<boolean> => {
    if (!dead) return false
    return true
  }
  let current: ControllerWorld = { ...world, kube: dying }
  let stop = await startProcess(current)
  const pass = async (ms: number): Promise<void> => {
    for (let elapsed = 0; elapsed < ms; elapsed += 1_000) {
      await current.run(1_000)
      if (!(await settled()) || current.kube === own) continue
      await stop()
      current = aControllerWorld({ clock: world.clock, kube: own, cloud })
      stop = await startProcess(current)
    }
  }

  await own.create(nodeClaims, aClaim('c1', { metadata: { labels: { 'karpenter.k8s.aws/ec2nodeclass': 'default' } } }))
  await pass(8_000)
  await own.create(nodes, aNode('n1', { taints: [unregisteredTaint] }))
  await own.create(pods, aPod('app', { spec: { nodeName: 'n1' } }))
  await pass(20_000)
  const claim = await own.get(nodeClaims, claimKey)
  expect(claim.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True')
  expect((await own.get(nodes, { name: 'n1' })).spec.taints).toEqual([])
  await own.delete(nodeClaims, claimKey)
  await pass(60_000)
  expect((await own.list(nodeClaims)).items).toEqual([])
  expect((await own.list(nodes)).items).toEqual([])
  expect((await own.list(pods)).items).toEqual([])
  expect(cloud.created).toEqual(['c1'])
  expect(cloud.instances.size).toBe(0)
  await stop()
  return count
}

test('wherever a process dies, the next one brings the machine to life and to its end', async () => {
  const total = await lifeOfAMachine(Number.POSITIVE_INFINITY, 'done')
  expect(total).toBeGreaterThan(8)
  for (let n = 1; n <= total; n++) {
    for (const effect of ['lost', 'done'] as const) await lifeOfAMachine(n, effect)
  }
})
