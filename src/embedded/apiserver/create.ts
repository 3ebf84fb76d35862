import { storedAdmission } from './admission/admission.ts'
import { httpsTransport } from './admission/transport.ts'
import { CrdInstaller } from './crd/installer.ts'
import { customSchemas } from './crd/schemas.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { NamespaceController } from './namespace-controller.ts'
import { loadState } from './persistence.ts'
import { ApiServer, type ApiServerOptions, systemCaller, writeRequest } from './server.ts'

/** The namespaces that every cluster begins with. */
const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** An API server with its own controllers running: custom resources, garbage collection, namespaces. Ready when this returns. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { transport = httpsTransport, resolveService = () => undefined } = options.webhooks ?? {}
  const server = new ApiServer(options, {
    admission: ({ context: { store, registry, random } }) =>
      storedAdmission(registry, { store, random, transport, resolveService }),
    schemas: customSchemas,
  })
  if (options.state !== undefined) loadState(server.context.store, options.state)
  server.run(new CrdInstaller(server))
  server.run(new GarbageCollector(server))
  server.run(new NamespaceController(server))
  const namespaces = server.definition('', 'v1', 'namespaces')
  for (const name of initialNamespaces) {
    if (server.context.store.get(namespaces.table, name) !== undefined) continue
    const request = writeRequest({ caller: systemCaller, fieldManager: 'kube-apiserver' })
    // No webhook can be in the way of these yet, so the effect is there when the call returns.
    void server.create(namespaces, undefined, { metadata: { name } }, request)
  }
  return server
}
