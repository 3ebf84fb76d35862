import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { customResourceDefinitions } from '../../src/api/generated/crds.gen.ts'
import { type ApiServer, clientFor, createApiServer, serve, writeRequest } from '../../src/embedded/apiserver/index.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { systemClock } from '../../src/kube/system-clock.ts'
import { systemRandom } from '../../src/kube/system-random.ts'

export interface ServedAPIServer {
  readonly server: ApiServer
  readonly client: KubeClient
  /** A folder of its own, for what a test writes beside the kubeconfig; it goes with the server. */
  readonly folder: string
  /** Where the kubeconfig is by which commands reach it. */
  readonly kubeconfig: string
  readonly stop: () => Promise<void>
}

/** The embedded API server with our kinds, over HTTPS. */
export async function servedAPIServer(): Promise<ServedAPIServer> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-api-server-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const server = createApiServer({ clock: systemClock(), random: systemRandom() })
  await defineKinds(server)
  const running = await serve({ server, kubeconfigPath: kubeconfig })
  return {
    server,
    client: clientFor(server, { fieldManager: 'test' }),
    folder,
    kubeconfig,
    stop: async () => {
      await running.close()
      server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Gives an API server our kinds, as applying `manifests/crds` does. */
export async function defineKinds(server: ApiServer): Promise<void> {
  const crds = server.definition('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
  for (const crd of customResourceDefinitions) await server.create(crds, undefined, crd, writeRequest())
}
