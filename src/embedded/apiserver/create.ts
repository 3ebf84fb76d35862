import { CrdInstaller } from './crd/installer.ts'
import { customSchemas } from './crd/schemas.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { NamespaceController } from './namespace-controller.ts'
import { ApiServer, type ApiServerOptions, systemCaller, writeRequest } from './server.ts'

/** The namespaces that every cluster begins with. */
const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** An API server with its own controllers running: custom resources, garbage collection, namespaces. Ready when this returns. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const server = new ApiServer(options, {
    admission: () => ({ mutate: () => undefined, validate: () => undefined }),
    schemas: customSchemas,
  })
  server.run(new CrdInstaller(server))
  server.run(new GarbageCollector(server))
  server.run(new NamespaceController(server))
  const namespaces = server.definition('', 'v1', 'namespaces')
  for (const name of initialNamespaces) {
    // Nothing asynchronous is configured yet, so the effect is there when the call returns.
    void server.create(
      namespaces,
      undefined,
      { metadata: { name } },
      writeRequest({ caller: systemCaller, fieldManager: 'kube-apiserver' }),
    )
  }
  return server
}
