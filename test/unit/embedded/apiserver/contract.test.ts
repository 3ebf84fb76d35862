import { KubeConfig } from '@kubernetes/client-node'
import { clientFor, createApiServer, serve } from '../../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../../src/embedded/random.ts'
import { createHTTPClient } from '../../../../src/kube/http-client.ts'
import { systemClock } from '../../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../../src/kube/system-random.ts'
import { kubePortContract } from '../../../contracts/kube-port.ts'

kubePortContract('in memory, on a virtual clock', async () => {
  const clock = new VirtualClock()
  const server = createApiServer({ clock, random: new SeededRandom(1) })
  return {
    client: clientFor(server, { fieldManager: 'contract' }),
    other: clientFor(server, { fieldManager: 'other' }),
    pause: async (ms) => {
      await clock.run({ forMs: ms })
    },
    stop: async () => server.stop(),
  }
})

kubePortContract('over HTTPS', async () => {
  const clock = systemClock()
  const server = createApiServer({ clock, random: systemRandom() })
  const running = await serve({ server })
  const config = new KubeConfig()
  config.loadFromString(running.kubeconfig)
  const connect = (fieldManager: string) =>
    createHTTPClient({
      config,
      clock,
      random: systemRandom(),
      qps: 10_000,
      burst: 10_000,
      userAgent: fieldManager,
      fieldManager,
    })
  const client = connect('contract')
  const other = connect('other')
  return {
    client,
    other,
    pause: (ms) => clock.sleep(ms),
    stop: async () => {
      await client.close()
      await other.close()
      await running.close()
      server.stop()
    },
  }
})
