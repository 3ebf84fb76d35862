import { get } from 'node:https'
import type { ControlPlane } from './control-plane.ts'
import { type JoineryProcess, startJoinery } from './joinery-process.ts'
import { ownAddress } from './own-address.ts'
import { freePorts } from './ports.ts'
import { webhookAccount } from './shipped.ts'

const service = 'joinery-webhook'
const { namespace } = webhookAccount

/**
 * `joinery webhook` as its own process, with the rights and arguments of the shipped Deployment, behind the shipped Service: no
 * network stands between here and the API server, so the Service's endpoints are this machine's own address.
 */
export async function startWebhook(controlPlane: ControlPlane): Promise<JoineryProcess> {
  const kubeconfig = await controlPlane.serviceAccountKubeconfig(namespace, webhookAccount.name)
  const { port } = await freePorts('port')
  const webhook = await startJoinery({
    args: ['webhook', `--port=${port}`, `--service=${service}`, `--kubeconfig=${kubeconfig}`],
    env: { SYSTEM_NAMESPACE: namespace, LOG_LEVEL: 'info' },
    isReady: () => isReady(port),
  })
  const { status, body } = await controlPlane.request(
    'POST',
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: service, labels: { 'kubernetes.io/service-name': service } },
      addressType: 'IPv4',
      ports: [{ name: 'https-webhook', port, protocol: 'TCP' }],
      endpoints: [{ addresses: [ownAddress()], conditions: { ready: true } }],
    },
  )
  if (status !== 201) throw new Error(JSON.stringify(body))
  return webhook
}

/** Its certificate is for the Service's name, which nobody resolves here. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', reject)
  })
}
