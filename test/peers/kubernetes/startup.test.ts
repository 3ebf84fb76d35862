import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ControlPlane } from '../support/control-plane.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { type MotoAccount, region, startMotoAccount } from '../support/moto-account.ts'
import { type OperatorProcess, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { installRBAC, operatorAccount } from '../support/shipped.ts'

/** The tests follow one operator from a machine that lacks everything to its work. */
await describeWithPeers('an operator that finds nothing prepared', ['kube-apiserver', 'kubectl', 'moto'], () => {
  let controlPlane: ControlPlane
  let account: MotoAccount
  let operator: OperatorProcess
  let isRegionTold = false
  // It holds its port from the beginning: one that is only known to be free may be taken by the operator itself.
  const metadata = createServer((request, response) => {
    if (isRegionTold) response.end(request.url === '/latest/meta-data/placement/region' ? region : 'token')
    else response.destroy()
  })

  beforeAll(async () => {
    controlPlane = await startControlPlane()
    account = await startMotoAccount('1.33')
    await once(metadata.listen(0, '127.0.0.1'), 'listening')
    const { port } = metadata.address() as AddressInfo
    const { AWS_REGION: _region, ...env } = account.env
    operator = await startOperator({
      kubeconfig: await controlPlane.serviceAccountKubeconfig(operatorAccount.namespace, operatorAccount.name),
      account: { env: { ...env, AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}` } },
      endpoint: controlPlane.url,
      // A heap snapshot halts the process for longer than a lease lasts when the machine is busy.
      flags: ['--log-level=info', '--enable-profiling', '--disable-leader-election'],
      until: 'alive',
    })
  })
  reportFailures(() => operator.logTail(200))
  afterAll(async () => {
    await operator.dispose()
    metadata.close()
    await account.stop()
    await controlPlane.stop()
  })

  const says = (text: string) => eventually(`it says ${text}`, () => hasSaid(text))
  const hasSaid = async (text: string) => (await operator.lines()).some((line) => JSON.stringify(line).includes(text))

  /** Both that it is not ready and why, as the log has it. */
  const readinessSays = (text: string) =>
    eventually(`readiness says ${text}`, async () => {
      const { status, body } = await operator.readiness()
      return status === 500 && body.includes(`[-]manager failed: cannot start yet: `) && body.includes(text)
    })

  test('says that no region is known, and is not ready', async () => {
    await says('the instance metadata service does not tell one; set AWS_REGION')
    await readinessSays('the instance metadata service does not tell one; set AWS_REGION')
  })

  test('goes on when the metadata service tells one, and says which rights it lacks', async () => {
    isRegionTold = true
    await says('the service account may not list nodes')
    await readinessSays('the service account may not list nodes')
    expect(await hasSaid('controllers started')).toBe(false)
  })

  test('goes on when it has them, and says which definitions are missing', async () => {
    await installRBAC(controlPlane)
    await says('the CustomResourceDefinition nodepools.karpenter.sh is not installed: apply manifests/crds')
    await readinessSays('the CustomResourceDefinition nodepools.karpenter.sh is not installed: apply manifests/crds')
    expect(await operator.readiness()).toMatchObject({ status: 500, body: expect.stringContaining('[-]crd') })
  })

  test('starts when they are there', async () => {
    await installCRDs(controlPlane)
    await says('everything that was missing is there, starting')
    await says('controllers started')
    await eventually('it is ready', async () => (await operator.readiness()).status === 200)
  })

  test('a signal switches debug logging on, and another one off', async () => {
    expect((await operator.lines()).filter(({ level }) => level === 'DEBUG')).toEqual([])
    const levels = async () => (await operator.lines()).filter(({ message }) => message === 'log level changed').length
    const toggle = async () => process.kill(await operator.pid(), 'SIGUSR2')
    await toggle()
    await eventually('it has switched', async () => (await levels()) === 1)
    await eventually('it logs more', async () => (await operator.lines()).some(({ level }) => level === 'DEBUG'))
    await toggle()
    await eventually('it has switched back', async () => (await levels()) === 2)
  })

  test('profiles of processor and heap are handed out, as they were asked for', async () => {
    const profile = await operator.read('/debug/pprof/profile?seconds=0.2')
    expect(profile.status).toBe(200)
    expect(JSON.parse(profile.body)).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) })
    const allocations = await operator.read('/debug/pprof/allocs?seconds=0.2')
    expect(allocations.status).toBe(200)
    expect(JSON.parse(allocations.body)).toHaveProperty('head')
    const heap = await operator.read('/debug/pprof/heap')
    expect(heap).toMatchObject({ status: 200, body: expect.stringContaining('"node_count"') })
  })
})
