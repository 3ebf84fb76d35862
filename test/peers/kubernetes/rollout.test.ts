import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { RolloutPolicyStatus } from '../../../src/api/karpenter.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { argoHealth, argoHealthScript, fluxHealth } from '../../support/gitops-health.ts'
import { runArgoLua } from '../support/argo-lua.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { watchHealth } from '../support/health-watch.ts'
import type { OperatorProcess } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

/** Nodes are ready in a few seconds, and much later on a machine that has other things to do. */
const nodeReadyTimeout = '90s'

await describeWithPeers(
  'a rollout on a real control plane, with the rights that ship',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto', 'argo-lua'],
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
    const status = async (): Promise<RolloutPolicyStatus> =>
      (await world.kube.get(rolloutPolicies, { name: 'careful' })).status ?? {}
    const phaseIs = async (phase: RolloutPolicyStatus['phase']) => (await status()).phase === phase
    const pool = () => world.kube.get(nodePools, { name: 'peers' })
    const nodeClass = () => world.kube.get(ec2NodeClasses, { name: 'peers' })
    const target = async () => (await status()).nodePools?.[0]?.targetHash ?? ''
    /** By the disruption controller, which would have begun with a node that it may take. */
    const areHeld = async (nodes: number, because: string): Promise<boolean> => {
      const held = (await pool()).status?.blockedBy?.find(({ reason }) => reason === 'RolloutHeld')
      return held?.nodes === nodes && held.message.includes(because)
    }
    const changePolicy = (spec: object) =>
      world.kube.patch(rolloutPolicies, { name: 'careful' }, { kind: 'merge', body: { spec } })
    const approve = async (token: string): Promise<void> => {
      const annotation = `joinery.dev/approve=${token}`
      const args = ['annotate', '--overwrite', 'nodepool/peers', annotation, '--field-manager=gitops']
      expect(await world.controlPlane.kubectl(args)).toMatchObject({ code: 0 })
    }
    const gone = async (before: readonly string[]): Promise<readonly string[]> => {
      const present = new Set(await world.fleet.claimNames())
      return before.filter((name) => !present.has(name))
    }

    test('waits for the approving commit, then goes by a canary that soaks, through the death of the operator, and is healthy only at its end', async () => {
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
          // As many tokens as nodes: one that was spent twice would be missing at the end.
          rate: { nodes: 3, per: '1000h' },
          gates: { nodeReadyTimeout },
          onFailure: 'Rollback',
        },
      })
      await eventually('the policy has been looked at', () => phaseIs('Idle'))
      const isGood = async () => (await nodeClass()).status?.imageHistory?.[0]?.outcome === 'good'
      await eventually('the image that all nodes run is known to be good', isGood)
      const before = await world.fleet.claimNames()
      expect(before).toHaveLength(3)

      await world.fleet.release('v20260201')
      await eventually('the approval is awaited', () => phaseIs('AwaitingApproval'))
      const token = await target()
      expect(token).toMatch(/^\d+-[0-9a-f]{8}$/)
      // Pool and class are told by other controllers, a moment later.
      const isProgressing = async () =>
        argoHealth('NodePool', await pool()).status === 'Progressing' &&
        argoHealth('EC2NodeClass', await nodeClass()).status === 'Progressing'
      await eventually('pool and class are in progress', isProgressing)
      const health = watchHealth(async () => {
        const [seenPool, seenClass] = await Promise.all([pool(), nodeClass()])
        return { pool: seenPool, nodeClass: seenClass, isDone: !(await world.fleet.anyFrom('v20260101')) }
      })
      await eventually('all nodes have been looked at and are held', () => areHeld(3, token))
      expect(await world.fleet.claimNames()).toEqual(before)

      await approve(token)
      await eventually('the canary soaks', () => phaseIs('Soaking'))
      const soaking = await status()
      expect(soaking).toMatchObject({
        replacedNodes: 1,
        approvals: [{ kind: 'NodePool', name: 'peers', target: token, fieldManager: 'gitops', user: 'admin' }],
      })
      const soakedUntil = soaking.soakedUntil ?? ''
      const seenUntil = new Set([soakedUntil])
      const restart = async () => {
        await operator.kill()
        return world.startOperator()
      }
      const stepBegins = eventually('the next step begins', async () => {
        const { step, soakedUntil: until = '' } = await status()
        if (step === 0) seenUntil.add(until)
        return step === 1
      })
      ;[operator] = await Promise.all([restart(), stepBegins])

      // A soak that had begun again with the operator would have ended later.
      expect([...seenUntil]).toEqual([soakedUntil])
      const { stepStartTime = '', startTime, revision, startNodes } = await status()
      expect({ startTime, revision, startNodes }).toEqual({
        startTime: soaking.startTime,
        revision: soaking.revision,
        startNodes: 3,
      })
      expect(Date.parse(stepStartTime)).toBeGreaterThanOrEqual(Date.parse(soakedUntil))

      await eventually('the rollout is complete', () => phaseIs('Completed'))
      expect(await world.fleet.allFrom('v20260201')).toBe(true)
      await eventually('pool and class are healthy', async () => {
        const [ofPool, ofClass] = [argoHealth('NodePool', await pool()), argoHealth('EC2NodeClass', await nodeClass())]
        return ofPool.status === 'Healthy' && ofClass.status === 'Healthy'
      })
      const whole = ['Progressing', 'Healthy']
      expect(await health.stop()).toEqual({
        pool: { argo: whole, flux: whole },
        nodeClass: { argo: whole, flux: whole },
        tooEarly: 0,
      })
      expect(conditionOf(await pool(), 'Stalled')?.status).toBe('False')
      expect((await status()).history).toMatchObject([{ number: 1, outcome: 'Completed', updatedNodes: 3 }])
    })

    test('stops a bad image at the canary, says why, and returns to the last good one', async () => {
      // The tokens of the first rollout are spent. The bad canary has this time; so has what may be made for its pods when it goes.
      await changePolicy({ rate: null, gates: { nodeReadyTimeout: '20s' } })
      const before = await world.fleet.claimNames()
      const good = await target()
      world.breakRelease('v20260301')
      await world.fleet.release('v20260301')
      await eventually('the approval is awaited', () => phaseIs('AwaitingApproval'))
      await approve(await target())
      await eventually('it is rolled back', async () => (await status()).failure?.state === 'RolledBack')
      const { failure, history } = await status()
      expect(failure).toMatchObject({ reason: 'NodesFailed', message: expect.stringContaining('failed to come up') })
      expect(history).toMatchObject([{ number: 2, outcome: 'RolledBack', totalNodes: 3 }, { number: 1 }])
      await eventually('the fleet runs on the last good image', async () => {
        const isBack = (await world.fleet.allFrom('v20260201')) && (await world.fleet.allRun(6))
        return isBack && (await world.fleet.isBalanced())
      })
      expect(await target()).toBe(good)
      expect((await gone(before)).length).toBeLessThanOrEqual(1)

      const isStalled = async () => conditionOf(await pool(), 'Stalled')?.status === 'True'
      await eventually('the pool says so', isStalled)
      const stalled = await pool()
      expect(conditionOf(stalled, 'Stalled')).toMatchObject({
        reason: 'RolledBack',
        message: expect.stringContaining('failed to come up'),
      })
      const [theirs] = await runArgoLua([{ script: argoHealthScript('NodePool'), obj: stalled }])
      expect(theirs).toMatchObject({ status: 'Degraded' })
      expect(fluxHealth('NodePool', stalled)).toBe('Degraded')
      const { imageHistory = [], pinnedImages } = (await nodeClass()).status ?? {}
      expect(imageHistory.map(({ outcome }) => outcome)).toEqual(['bad', 'good', 'good'])
      expect(pinnedImages?.reason).toContain('failed to come up')

      await world.fleet.release('v20260201')
      await eventually('the matter is ended by the commit that takes it back', async () => !(await isStalled()))
      // While the canary went its pods may have been given another node, which stands empty then.
      await eventually('no node is left over', async () => {
        return (await world.fleet.claimNames()).length === 3 && (await world.fleet.isBalanced())
      })
      expect((await gone(before)).length).toBeLessThanOrEqual(1)
    })

    test('an edit in mid-rollout voids the approval, and what has not begun stays', async () => {
      await changePolicy({ gates: { nodeReadyTimeout } })
      const relabel = (tier: string) =>
        world.kube.patch(
          nodePools,
          { name: 'peers' },
          { kind: 'merge', body: { spec: { template: { metadata: { labels: { tier } } } } } },
        )
      const before = await world.fleet.claimNames()
      await relabel('front')
      await eventually('the approval is awaited', () => phaseIs('AwaitingApproval'))
      const first = await target()
      await approve(first)
      await eventually('the canary soaks', () => phaseIs('Soaking'))
      expect(await gone(before)).toHaveLength(1)

      await relabel('back')
      await eventually('the approval of the new target is awaited', () => phaseIs('AwaitingApproval'))
      const second = await target()
      expect(second).not.toBe(first)
      await eventually('all nodes have been looked at and are held', () => areHeld(3, second))
      expect(await phaseIs('AwaitingApproval')).toBe(true)
      expect(await gone(before)).toHaveLength(1)
      expect((await status()).approvals).toBeUndefined()
      expect((await status()).history?.[0]).toMatchObject({ outcome: 'Superseded' })
    })

    test('nodes drifted by what was changed here, and by nothing else', async () => {
      const drifted = (await world.lines()).filter(({ message }) => message === 'marking drifted')
      expect(new Set(drifted.map(({ reason }) => reason))).toEqual(new Set(['AMIDrift', 'NodePoolDrifted']))
    })
  },
)
