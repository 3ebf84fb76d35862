import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events, leases } from '../../../src/kube/kinds.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean } from '../support/fleet.ts'
import { aNodePool } from '../support/fleet-manifests.ts'
import type { OperatorProcess } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

await describeWithPeers(
  'the operator as its own process, on a real control plane with the rights that ship',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto'],
  () => {
    let world: RealWorld
    let operator: OperatorProcess
    beforeAll(async () => {
      world = await startRealWorld()
      operator = await world.startOperator()
    })
    reportFailures(() => world.report())
    afterAll(async () => {
      await world.stop()
    })

    test('the webhook and the policies that ship judge what people apply, and let the operator write', async () => {
      const apply = (spec: object) =>
        world.controlPlane.kubectl(['apply', '--dry-run=server', '-f', '-'], {
          input: JSON.stringify({ ...pool, spec: { ...pool.spec, ...spec } }),
        })
      const pool = aNodePool({ name: 'judged' })
      const template = pool.spec.template
      // One that the policies cannot see, which are asked before the webhook.
      const cpu = { key: 'karpenter.k8s.aws/instance-cpu' }
      const contradiction = {
        template: {
          ...template,
          spec: {
            ...template.spec,
            requirements: [
              { ...cpu, operator: 'Gt', values: ['8'] },
              { ...cpu, operator: 'Lt', values: ['4'] },
            ],
          },
        },
      }
      // Failures of the webhook are passed over, so its first refusal is what shows that it is reached.
      await eventually('the webhook refuses', async () => (await apply(contradiction)).stderr.includes('JN-102'))
      const frozen = await apply({
        disruption: {
          consolidateAfter: '1m',
          budgets: [{ nodes: '1', schedule: 'at noon on each day', duration: '1h' }],
        },
      })
      expect([frozen.code, frozen.stderr]).toEqual([
        1,
        expect.stringContaining("ValidatingAdmissionPolicy 'joinery-nodepool-denied'"),
      ])
      const unlimited = await apply({ disruption: { consolidateAfter: '1m', budgets: [] } })
      expect(unlimited.code).toBe(0)
      expect(unlimited.stderr).toContain('Warning: JN-208')
      expect(unlimited.stderr).toContain('budgets: [] lifts every limit on disruption')
    })

    test('pending pods get nodes, and kube-scheduler puts each where the operator had it in mind', async () => {
      await world.fleet.start('v20260101', 6)
      await eventually('cluster and account agree', () => world.fleet.isBalanced())
      expect((await world.fleet.books()).instances).toHaveLength(3)
    })

    test('a new release of the image rolls the nodes, and who waits for the NodePool waits for the last of them', async () => {
      await world.fleet.release('v20260201')
      await eventually('the pool says that nodes are replaced', async () =>
        isConditionTrue(await world.kube.get(nodePools, { name: 'peers' }), 'Reconciling'),
      )
      await eventually('a claim names both images', async () => {
        const { items } = await world.kube.list(nodeClaims)
        const messages = items.map((claim) => conditionOf(claim, 'Drifted')?.message ?? '')
        return messages.some((message) =>
          /^AMIDrift: status\.amis: ami-\S+ .*v20260101.* -> ami-\S+ .*v20260201/.test(message),
        )
      })
      const args = ['wait', 'nodepool/peers', '--for=condition=Reconciling=false', '--timeout=4m']
      expect(await world.controlPlane.kubectl(args, { timeoutMs: 300_000 })).toMatchObject({ code: 0 })
      expect(await world.fleet.allFrom('v20260201')).toBe(true)
      expect((await world.kube.get(nodePools, { name: 'peers' })).status).toMatchObject({ driftedNodes: 0 })
      await eventually('every pod runs again', () => world.fleet.allRun(6))
    })

    test('nodes that fewer pods leave behind go', async () => {
      await world.fleet.scale(2)
      await eventually('one node is left', async () => (await world.fleet.books()).instances.length === 1)
      await eventually('both pods run', () => world.fleet.allRun(2))
    })

    test('an operator that is killed while it launches loses nothing, and its successor goes on', async () => {
      const body = { spec: { replicas: 8 } }
      await world.kube.patch(deployments, { namespace: 'default', name: 'peers' }, { kind: 'merge', body })
      await eventually('a NodeClaim is made', async () => (await world.fleet.claimNames()).length > 1)
      await operator.kill()
      operator = await world.startOperator()
      await eventually('every pod runs', () => world.fleet.allRun(8))
      await eventually('cluster and account agree', () => world.fleet.isBalanced())
    })

    test('an operator that is killed while it replaces nodes leaves no half of a replacement behind', async () => {
      await world.fleet.release('v20260101')
      await eventually('the first replacement is launched', () => world.fleet.anyFrom('v20260101'))
      await operator.kill()
      operator = await world.startOperator()
      await eventually('every instance is of the other release', () => world.fleet.allFrom('v20260101'))
      await eventually('every pod runs', () => world.fleet.allRun(8))
      await eventually('cluster and account agree', () => world.fleet.isBalanced())
    })

    test('of two replicas one acts, and the other takes over when it ends', async () => {
      const second = await world.startOperator()
      const holder = async () =>
        (await world.kube.get(leases, { namespace: 'kube-system', name: 'karpenter-leader-election' })).spec
          ?.holderIdentity
      const before = await holder()
      expect((await second.lines()).some(({ message }) => message === 'controllers started')).toBe(false)
      await operator.stop()
      await eventually('the lease changes hands', async () => {
        const now = await holder()
        return now !== undefined && now !== '' && now !== before
      })
      operator = second
      await world.fleet.scale(10)
      await eventually('cluster and account agree', () => world.fleet.isBalanced())
    })

    test('a NodePool with nodes goes only when that is confirmed; then its nodes go, and nothing is left', async () => {
      await expect(world.kube.delete(nodePools, { name: 'peers' })).rejects.toThrow('still has')
      expect((await world.fleet.books()).instances.length).toBeGreaterThan(0)
      await world.fleet.end()
      await accountIsClean(world.account)
    })

    test('the shipped rights were enough', async () => {
      const lines = await world.lines()
      expect(lines.map(({ message }) => message)).toContain('launched nodeclaim')
      const denied = lines.filter((line) => JSON.stringify(line).includes('forbidden'))
      expect(denied).toEqual([])
      const { items } = await world.kube.list(events)
      expect(items.map(({ reason }) => reason)).toContain('Nominated')
    })
  },
)
