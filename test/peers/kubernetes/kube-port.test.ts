import { setTimeout as sleep } from 'node:timers/promises'
import { KubeConfig } from '@kubernetes/client-node'
import { createHTTPClient } from '../../../src/kube/http-client.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import { kubePortContract } from '../../contracts/kube-port.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { describeWithPeers } from '../support/peers.ts'

await describeWithPeers('the contract of the Kubernetes port', ['kube-apiserver'], () => {
  kubePortContract('a real kube-apiserver', async () => {
    const controlPlane = await startControlPlane()
    const config = new KubeConfig()
    config.loadFromFile(controlPlane.kubeconfig)
    const connect = (fieldManager: string) =>
      createHTTPClient({
        config,
        clock: systemClock(),
        random: systemRandom(),
        qps: 1_000,
        burst: 2_000,
        userAgent: 'joinery-peer-tests',
        fieldManager,
      })
    const client = connect('contract')
    const other = connect('other')
    return {
      client,
      other,
      pause: (ms) => sleep(ms),
      stop: async () => {
        await client.close()
        await other.close()
        await controlPlane.stop()
      },
    }
  })
})
