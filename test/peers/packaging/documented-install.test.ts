import { afterAll, beforeAll, expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods } from '../../../src/kube/kinds.ts'
import { documentedBlocks } from '../support/documented-steps.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean } from '../support/fleet.ts'
import { describeWithPeers } from '../support/peers.ts'
import { joineryProgram } from '../support/joinery-process.ts'
import { idleProgram, startUserWorld, type UserWorld } from '../support/user-world.ts'

await describeWithPeers(
  'what README.md says to type, on a cluster with nothing in it',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto', 'helm'],
  () => {
    let world: UserWorld
    let said = ''
    beforeAll(async () => {
      world = await startUserWorld((image) => (image.startsWith('joinery:') ? joineryProgram : idleProgram))
    })
    afterAll(() => world?.stop())
    reportFailures(async () => `${said}\n${await world.kubelet.logs()}${await world.controlPlane.logs(10)}`)

    test('installs the operator and its webhook on EKS, and five pods get nodes that were not there', async () => {
      const [install = ''] = await documentedBlocks('On EKS')
      const printed = await world.shell.type(install)
      expect(printed).toContain('deployment "inflate" successfully rolled out')
      const claims = (await world.kube.list(nodeClaims)).items
      expect(claims.length).toBeGreaterThan(0)
      expect(claims.every((claim) => isConditionTrue(claim, 'Registered'))).toBe(true)
      const running = (await world.kube.list(pods, { namespace: 'default' })).items
      expect(new Set(running.map(({ spec }) => spec.nodeName))).toEqual(
        new Set(claims.map(({ status }) => status?.nodeName)),
      )
      for (const { metadata } of claims) expect(printed).toContain(metadata.name)
    })

    test('has every replica of what it installs in service', async () => {
      for (const name of ['joinery', 'joinery-webhook']) {
        const { status } = await world.kube.get(deployments, { namespace: 'kube-system', name })
        expect(status).toMatchObject({ readyReplicas: 2 })
      }
    })

    test('refuses a bad spec when it is applied', async () => {
      const patch = '{"spec":{"disruption":{"budgets":[{"nodes":"1","schedule":"61 * * * *","duration":"1h"}]}}}'
      const typed = await world.shell.tryTyping(`kubectl patch nodepool default --type=merge --patch='${patch}'`)
      expect(typed).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/admission webhook .* denied the request.*JN-/s),
      })
    })

    test('takes all of it away again, but for the CRDs', async () => {
      const [, remove = ''] = await documentedBlocks('On EKS')
      await world.shell.type(remove)
      await accountIsClean(world.account)
      expect((await world.kube.list(nodes)).items.map(({ metadata }) => metadata.name)).toEqual([
        'system-1',
        'system-2',
      ])
      expect((await world.kube.list(deployments, { namespace: 'kube-system' })).items).toEqual([])
      expect((await world.kube.list(nodePools)).items).toEqual([])
    })

    test('runs the operator from the checkout with moto in place of AWS, and NodeClaims are launched', async () => {
      const [commands = ''] = await documentedBlocks('On kind, or any other cluster')
      const typed = world.shell.start(commands)
      try {
        await eventually('every NodeClaim is launched', async () => {
          if (typed.ended) throw new Error(await typed.logTail())
          const { items } = await world.kube.list(nodeClaims).catch(() => ({ items: [] }))
          return items.length > 0 && items.every((claim) => isConditionTrue(claim, 'Launched'))
        })
        expect(isConditionTrue(await world.kube.get(ec2NodeClasses, { name: 'default' }), 'Ready')).toBe(true)
        const scaled = 'deployment.apps/inflate scaled'
        await eventually('all has been typed', async () => (await typed.logTail(Infinity)).includes(scaled))
        // It ends at the first command that fails, and the last one watches on.
        expect(await typed.logTail(Infinity)).toContain('nodepool.karpenter.sh/default condition met')
        for (const { metadata } of (await world.kube.list(nodeClaims)).items) {
          await eventually('the watch shows it', async () => (await typed.logTail(Infinity)).includes(metadata.name))
        }
        expect(typed.ended).toBe(false)
      } finally {
        said = await typed.logTail(200)
        await typed.stop()
      }
    })
  },
)
