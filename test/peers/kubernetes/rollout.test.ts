import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { RolloutPolicyStatus } from '../../../src/api/karpenter.ts'
import { nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { argoHealth, fluxHealth } from '../../support/gitops-health.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

await describeWithPeers(
  'a rollout on a real control plane, with the rights that ship',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto'],
  () => {
    let world: RealWorld
    let failed = false
    beforeAll(async () => {
      world = await startRealWorld()
      await world.startOperator()
    })
    afterEach(({ task }) => {
      failed ||= task.result?.state === 'fail'
    })
    afterAll(async () => {
      if (failed) process.stderr.write(await world.logs())
      await world.stop()
    })
    const status = async (): Promise<RolloutPolicyStatus> =>
      (await world.kube.get(rolloutPolicies, { name: 'careful' })).status ?? {}
    const pool = () => world.kube.get(nodePools, { name: 'peers' })

    test('waits for the approving commit, then goes by a canary that soaks, and is healthy only at its end', async () => {
      await world.fleet.start('v20260101', 6)
      await eventually('cluster and account agree', () => world.fleet.isBalanced())
      await world.kube.create(rolloutPolicies, {
        apiVersion: 'joinery.dev/v1alpha1',
        kind: 'RolloutPolicy',
        metadata: { name: 'careful' },
        spec: {
          nodePoolSelector: { names: ['peers'] },
          mode: 'Approve',
          steps: [{ nodes: 1, soak: '20s' }],
          onFailure: 'Rollback',
        },
      })
      await eventually('the policy has been looked at', async () => (await status()).phase === 'Idle')

      await world.fleet.release('v20260201')
      await eventually('the approval is awaited', async () => (await status()).phase === 'AwaitingApproval')
      const { targetHash = '' } = (await status()).nodePools?.[0] ?? {}
      expect(targetHash).toMatch(/^\d+-[0-9a-f]{8}$/)
      // The pool is told by another controller, a moment later.
      const isProgressing = async () => argoHealth('NodePool', await pool()).status === 'Progressing'
      await eventually('the pool is in progress', isProgressing)

      const approve = ['annotate', 'nodepool/peers', `joinery.dev/approve=${targetHash}`, '--field-manager=gitops']
      expect(await world.controlPlane.kubectl(approve)).toMatchObject({ code: 0 })
      await eventually('the canary soaks', async () => (await status()).phase === 'Soaking')
      expect(await status()).toMatchObject({
        replacedNodes: 1,
        approvals: [{ kind: 'NodePool', name: 'peers', target: targetHash, fieldManager: 'gitops', user: 'admin' }],
      })
      expect(fluxHealth('NodePool', await pool())).toBe('Progressing')

      await eventually('the rollout is complete', async () => (await status()).phase === 'Completed')
      expect(await world.fleet.allFrom('v20260201')).toBe(true)
      await eventually('the pool is healthy', async () => argoHealth('NodePool', await pool()).status === 'Healthy')
      expect(conditionOf(await pool(), 'Stalled')?.status).toBe('False')
      expect((await status()).history).toMatchObject([{ number: 1, outcome: 'Completed' }])
    })
  },
)
