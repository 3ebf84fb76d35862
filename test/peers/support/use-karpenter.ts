import { afterAll, beforeAll } from 'vitest'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { connect } from './client.ts'
import type { ControlPlane } from './control-plane.ts'
import { installCRDs } from './crds.ts'
import { reportFailures } from './failure-report.ts'
import { type KarpenterProcess, startKarpenter } from './karpenter-process.ts'
import { startMotoAccount } from './moto-account.ts'
import { useControlPlane } from './use-control-plane.ts'

/** Karpenter on a control plane without nodes, for the tests of the suite that calls this; its log is printed after a test that failed. */
export interface KarpenterWorld {
  readonly controlPlane: ControlPlane
  readonly kube: HTTPClient
  readonly karpenter: KarpenterProcess
}

/** @param definitions CRDs in place of the shipped ones */
export function useKarpenter(definitions?: () => Promise<readonly string[]>): () => KarpenterWorld {
  const controlPlane = useControlPlane()
  const stops = new AsyncDisposableStack()
  let started: KarpenterWorld | undefined
  beforeAll(async () => {
    await installCRDs(controlPlane(), await definitions?.())
    const account = await startMotoAccount('1.36')
    stops.defer(() => account.stop())
    const { kubeconfig, url: endpoint } = controlPlane()
    const kube = connect(kubeconfig)
    stops.defer(() => kube.close())
    const karpenter = await startKarpenter({ kubeconfig, account, endpoint })
    stops.defer(() => karpenter.dispose())
    started = { controlPlane: controlPlane(), kube, karpenter }
  })
  const world = () => {
    if (started === undefined) throw new Error('Karpenter runs only while tests do')
    return started
  }
  reportFailures(() => world().karpenter.logTail())
  afterAll(() => stops.disposeAsync())
  return world
}
