import { AccountController } from './account-controller.ts'
import { storedAdmission } from './admission/admission.ts'
import { httpsTransport } from './admission/transport.ts'
import { createDefaultAccount } from './api/service-accounts.ts'
import { CrdInstaller } from './crd/installer.ts'
import { customSchemas } from './crd/schemas.ts'
import { GarbageCollector } from './garbage-collector.ts'
import { NamespaceController } from './namespace-controller.ts'
import { loadState } from './persistence.ts'
import { PvcProtection } from './pvc-protection.ts'
import { ApiServer, type ApiServerOptions, systemCaller, writeRequest } from './server.ts'

/** The namespaces that every cluster begins with. */
const initialNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system']

/** Classes that every API server brings. */
const systemPriorities = [
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
] as const

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
  server.run(new PvcProtection(server))
  server.run(new AccountController(server))
  const namespaces = server.definition('', 'v1', 'namespaces')
  const priorities = server.definition('scheduling.k8s.io', 'v1', 'priorityclasses')
  const initial = [
    ...initialNamespaces.map((name) => [namespaces, { metadata: { name } }] as const),
    ...systemPriorities.map(([name, value]) => [priorities, { metadata: { name }, value }] as const),
  ]
  for (const [definition, object] of initial) {
    if (server.context.store.get(definition.table, object.metadata.name) !== undefined) continue
    const request = writeRequest({ caller: systemCaller, fieldManager: 'kube-apiserver' })
    // No webhook can be in the way of these yet, so the effect is there when the call returns.
    void server.create(definition, undefined, object, request)
  }
  // A state that was saved before there were accounts has none.
  for (const namespace of server.context.store.list('/namespaces')) createDefaultAccount(server.context, namespace)
  return server
}
