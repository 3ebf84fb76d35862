import { expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { Pod, Unsaved } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { events, pods } from '../../../src/kube/kinds.ts'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass, aNodePool } from '../support/fleet-manifests.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type EmptyWorld, startEmptyWorld } from '../support/real-world.ts'

const rank = 'example.com/rank'

await describeWithPeers(
  'a pod that asks for a label below zero, where its pool takes any value of it',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    test('has its line', async () => {
      expect(await hasCompatibilityLine("A pod that asks for a label of the user's own below a number")).toBe(true)
    })

    test('ends the process of Karpenter', async () => {
      const world = await startEmptyWorld()
      await using started = world.stops
      await installCRDs(world.controlPlane, await karpenterCRDs())
      const karpenter = await startKarpenter(optionsOf(world))
      started.defer(() => karpenter.dispose())
      await ask(world)
      await eventually('it has panicked', async () =>
        (await karpenter.logTail(400)).includes('panic: invalid argument to Intn'),
      )
      expect(await world.kube.list(nodePools)).toMatchObject({ items: [{ status: { nodes: 0 } }] })
    })

    test('is refused by the operator, which goes on', async () => {
      const world = await startEmptyWorld()
      await using started = world.stops
      await installCRDs(world.controlPlane, await karpenterCRDs())
      const operator = await startOperator({ ...optionsOf(world), flags: likeKarpenter })
      started.defer(() => operator.dispose())
      await ask(world)
      await eventually('the pod is told', async () =>
        (await world.kube.list(events)).items.some(({ message = '' }) => message.includes(`${rank} Exists <=-1`)),
      )
      expect(await operator.readiness()).toMatchObject({ status: 200 })
    })
  },
)

function optionsOf({ controlPlane: { kubeconfig, url: endpoint }, account }: EmptyWorld) {
  return { kubeconfig, endpoint, account }
}

async function ask({ kube }: EmptyWorld): Promise<void> {
  await kube.create(ec2NodeClasses, aNodeClass('v20260101'))
  const pool = aNodePool()
  pool.spec.template.spec.requirements.push({ key: rank, operator: 'Exists' })
  await kube.create(nodePools, pool)
  await eventually('the pool is ready', async () =>
    (await kube.list(nodePools)).items.every((each) => isConditionTrue(each, 'Ready')),
  )
  await kube.create(pods, podBelowZero)
}

const podBelowZero: Unsaved<Pod> = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'below-zero', namespace: 'default' },
  spec: {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: rank, operator: 'Lt', values: ['0'] }] }],
        },
      },
    },
    containers: [
      { name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '300m', memory: '64Mi' } } },
    ],
  },
}
