import { expect, test } from 'vitest'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator, anOperatorOn } from '../../support/embedded-operator.ts'
import type { RecordingLogger } from '../../support/recording-logger.ts'

const minute = 60_000
const [perWindow, windowMs, stepMs] = [2, 10 * minute, 10_000]

test('nodes that were born together go two in ten minutes, across a restart of the operator, and their pods run', async () => {
  const brake = { disruptionBrake: perWindow, disruptionBrakeWindow: windowMs }
  const { cluster, operator, log, stop } = await anEmbeddedOperator(brake)
  const { client, clock } = cluster
  const begunAt: number[] = []
  const claims = async () => (await client.list(nodeClaims)).items.map(({ metadata: { name } }) => name)
  /** Notes each deletion of an expired claim within ten seconds. */
  const watchFor = async (minutes: number, { lines }: RecordingLogger): Promise<void> => {
    const expired = () => lines.filter(({ message }) => message === 'deleting expired nodeclaim').length
    for (let passed = 0; passed < minutes * minute; passed += stepMs) {
      const before = expired()
      await clock.run({ forMs: stepMs })
      for (let more = expired() - before; more > 0; more -= 1) begunAt.push(clock.now())
    }
  }
  try {
    await aFleet(cluster)
    const template = { spec: { expireAfter: '1h' } }
    const disruption = { consolidateAfter: 'Never' }
    await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec: { template, disruption } } })
    const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }]
    const spec = {
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
      containers: [containerOf({ cpu: '1', memory: '1Gi' })],
    }
    await client.create(deployments, deploymentOf('web', 6, spec))
    await watchFor(10, log)
    const born = await claims()
    expect(born.length).toBeGreaterThanOrEqual(5)
    await watchFor(52, log)
    expect(begunAt).toHaveLength(perWindow)

    void operator.stop()
    await clock.run({ forMs: minute })
    const next = anOperatorOn(cluster, brake)
    await watchFor(40, next.log)
    expect((await claims()).filter((name) => born.includes(name))).toEqual([])
    expect(begunAt).toHaveLength(born.length)
    for (const [index, at] of begunAt.entries())
      expect((begunAt[index + perWindow] ?? Infinity) - at).toBeGreaterThanOrEqual(windowMs - stepMs)
    const running = (await client.list(pods, { namespace: 'default' })).items.filter(
      ({ status }) => status?.phase === 'Running',
    )
    expect(running).toHaveLength(6)
    void next.operator.stop()
  } finally {
    await stop()
  }
})
