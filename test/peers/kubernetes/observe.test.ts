import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events, leases } from '../../../src/kube/kinds.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { aDeployment, aNodeClass, aNodePool } from '../support/fleet-manifests.ts'
import { type OperatorProcess, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'
import { basePath } from '../support/shipped.ts'

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

const reading = ['get', 'list', 'watch']

await describeWithPeers(
  'an observer beside a running autoscaler, with rights to read only',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto'],
  () => {
    let world: RealWorld
    let observer: OperatorProcess
    beforeAll(async () => {
      world = await startRealWorld()
      await world.kube.create(ec2NodeClasses, aNodeClass('v20260101'))
      await world.kube.create(nodePools, aNodePool())
      await world.kube.create(deployments, aDeployment(2))
      await grantReading(world)
      const kubeconfig = await world.controlPlane.serviceAccountKubeconfig('kube-system', 'observer')
      const { account, controlPlane } = world
      observer = await startOperator({ kubeconfig, account, endpoint: controlPlane.url, flags: ['--observe'] })
    })
    reportFailures(async () => `${await observer.logTail(200)}\n${await world.report()}`)
    afterAll(async () => {
      await observer.dispose()
      await world.stop()
    })

    test('it decides, and says which writes it held back', async () => {
      await eventually('a write is held back', async () =>
        (await observer.lines()).some(({ message }) => message === 'write held back in observe mode'),
      )
    })

    test('it changes nothing: no status, no claim, no event, no lease, no instance', async () => {
      // Longer than the batching window and one round of the disruption controllers.
      await sleep(12_000)
      expect((await world.kube.list(nodePools)).items.map(({ status }) => status)).toEqual([undefined])
      expect((await world.kube.list(ec2NodeClasses)).items.map(({ status }) => status)).toEqual([undefined])
      expect((await world.kube.list(nodeClaims)).items).toEqual([])
      const { items } = await world.kube.list(events)
      expect(items.filter(({ source }) => source?.component === 'karpenter')).toEqual([])
      await expect(
        world.kube.get(leases, { namespace: 'kube-system', name: 'karpenter-leader-election' }),
      ).rejects.toMatchObject({ code: 'NotFound' })
      expect(await world.account.liveInstances()).toEqual([])
    })

    test('rights to read were enough, and it serves its metrics', async () => {
      const denied = (await observer.lines()).filter((line) => JSON.stringify(line).includes('forbidden'))
      expect(denied).toEqual([])
      expect(await observer.metrics()).toContain('karpenter_build_info')
    })
  },
)

/** The shipped ClusterRole without everything that writes. */
async function grantReading({ controlPlane }: RealWorld): Promise<void> {
  const role = parseAllDocuments(await readFile(basePath, 'utf8'))
    .map((document) => document.toJS() as { kind: string; metadata: { name: string }; rules: readonly Rule[] } | null)
    .find((object) => object?.kind === 'ClusterRole' && object.metadata.name === 'joinery')
  const rules = (role?.rules ?? [])
    .map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => reading.includes(verb)) }))
    .filter(({ verbs }) => verbs.length > 0)
  const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1' }
  const objects = [
    { ...rbac, kind: 'ClusterRole', metadata: { name: 'observer' }, rules },
    {
      ...rbac,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'observer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'observer' },
      subjects: [{ kind: 'ServiceAccount', name: 'observer', namespace: 'kube-system' }],
    },
  ]
  for (const object of objects) {
    const applied = await controlPlane.kubectl(['apply', '-f', '-'], { input: JSON.stringify(object) })
    if (applied.code !== 0) throw new Error(applied.stderr)
  }
}
