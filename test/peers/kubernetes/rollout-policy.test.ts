import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import type { RolloutPolicyStatus } from '../../../src/api/karpenter.ts'
import { aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../support/rollout-facts.ts'
import { crdFolder } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const minute = 60_000
const examples = join(import.meta.dirname, '../../../manifests/examples')

/** Statuses that together use every field that the engine writes. */
function engineStatuses(): Readonly<Record<string, RolloutPolicyStatus>> {
  const approval = {
    kind: 'NodePool',
    name: 'default',
    target: 'pool-2',
    time: '2026-05-04T11:00:00Z',
    fieldManager: 'argocd',
  } as const
  const blocked = { reason: 'PDBBlocked', message: 'pdb default/web prevents pod evictions' }
  const nodes = oldNodes(3).map((node) => (node.name === 'old-2' ? { ...node, blocked } : node))
  const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes, approval })
  const world = new EngineWorld(
    {
      mode: 'Approve',
      steps: [
        { nodes: 1, soak: '10m' },
        { nodes: '50%', soak: '1h' },
      ],
      gates: { nodeReadyTimeout: '5m', maxFailedNodes: '10%' },
      onFailure: 'Rollback',
      rate: { nodes: 3, per: '1h' },
      deadline: '100h',
    },
    [pool],
  )
  world.yielded = [{ pool: 'other', to: 'older' }]
  world.look()
  world.begin('old-0')
  const progressing = world.look(minute).status
  world.finish('old-0')
  const soaking = world.look(minute).status
  world.look(10 * minute)
  world.begin('old-1')
  world.look(minute)
  expect(progressing).toMatchObject({ imageChanges: ['default'], blockedNodes: 1 })
  const failed = world.look(10 * minute).status
  return { progressing, soaking, failed }
}

await describeWithPeers('a real API server and RolloutPolicies', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()

  test('it takes the example, and keeps every field of the statuses that the engine writes', async () => {
    const definition: unknown = parse(readFileSync(join(crdFolder, 'joinery.dev_rolloutpolicies.yaml'), 'utf8'))
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await controlPlane().request('POST', crds, definition)).status).toBe(201)
    const path = '/apis/joinery.dev/v1alpha1/rolloutpolicies'
    await expect.poll(async () => (await controlPlane().request('GET', path)).status, { timeout: 30_000 }).toBe(200)

    const [example] = parseAllDocuments(readFileSync(join(examples, 'rolloutpolicy.yaml'), 'utf8'))
    const created = await controlPlane().request('POST', `${path}?fieldValidation=Strict`, example?.toJS())
    expect({ status: created.status, body: created.body }).toMatchObject({ status: 201 })

    for (const [name, status] of Object.entries(engineStatuses())) {
      const read = (await controlPlane().request('GET', `${path}/careful`)).body as object
      const written = await controlPlane().request('PUT', `${path}/careful/status?fieldValidation=Strict`, {
        ...read,
        status,
      })
      expect({ name, status: written.status, body: written.body }).toMatchObject({ name, status: 200 })
      const kept = (written.body as { status: unknown }).status
      expect(kept).toMatchObject(JSON.parse(JSON.stringify(status)) as object)
    }
  })
})
