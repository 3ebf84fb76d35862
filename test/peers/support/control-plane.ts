import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiMethod, type ApiResponse, apiRequest } from './api-request.ts'
import { type Authority, createAuthority, type KeyAndCertificate } from './certificates.ts'
import { type Child, startChild, untilReady } from './child.ts'
import {
  apiServerFlags,
  type ControllerManagerOptions,
  controllerManagerFlags,
  etcdFlags,
  kubernetesServiceAddress,
  type Layout,
  schedulerConfiguration,
  schedulerFlags,
} from './control-plane-flags.ts'
import { compactHistory, type StoredObject, storeObjects } from './etcd.ts'
import { type Cluster, writeKubeconfig } from './kubeconfig.ts'
import { freePorts } from './ports.ts'
import { type ControlPlaneProgram, controlPlaneProgram, kubectlProgram } from './programs.ts'
import { run, type RunOptions, type RunResult } from './run.ts'

export interface ControlPlaneOptions {
  /** Runs kube-controller-manager too. Without it nothing acts on workloads, and pods need no service account. */
  readonly controllerManager?: ControllerManagerOptions
  readonly scheduler?: 'run' | 'absent'
  /** Further flags of kube-apiserver. */
  readonly apiServerFlags?: readonly string[]
}

/** A real Kubernetes control plane on loopback, with nothing in it. */
export interface ControlPlane extends Cluster {
  /** Path of the administrator's kubeconfig (group `system:masters`). */
  readonly kubeconfig: string
  /** Path of a new kubeconfig for any user in any groups, by client certificate; RBAC decides what they may. */
  kubeconfigFor(user: string, groups?: readonly string[]): Promise<string>
  /** Path of a new kubeconfig with a token of that service account, which is made when it is missing. Its namespace has to exist. */
  serviceAccountKubeconfig(namespace: string, name: string): Promise<string>
  /** One plain request as the administrator. */
  request(method: ApiMethod, path: string, body?: unknown, contentType?: string): Promise<ApiResponse>
  kubectl(args: readonly string[], options?: RunOptions & { readonly kubeconfig?: string }): Promise<RunResult>
  /** Ends the API server at once, as when its machine fails. */
  killAPIServer(): Promise<void>
  /** Brings it back, at the same address, over what etcd holds. */
  startAPIServer(): Promise<void>
  /** Makes etcd forget all history but the present: watches that resume from before get 410 Gone. Returns the revision kept. */
  compact(): Promise<string>
  /** Makes etcd hold these objects, which costs the API server nothing but to hear of them. `tell` gets the count so far. */
  store(objects: readonly StoredObject[], tell: (stored: number) => void): Promise<void>
  /** The end of every component's log. */
  logs(lines?: number): Promise<string>
  /** Ends every process and removes every file. Safe to call twice. */
  stop(): Promise<void>
}

/** From start to ready takes about five seconds on an idle machine; the machine may be very busy. */
const startTimeoutMs = 240_000

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const layout: Layout = {
    folder: await mkdtemp(join(tmpdir(), 'joinery-control-plane-')),
    ports: await freePorts('etcd', 'etcdPeer', 'apiServer', 'controllerManager', 'scheduler'),
  }
  const children: Child[] = []
  const stop = async (): Promise<void> => {
    // Clients before servers, so that no log ends in a page of connection errors.
    for (const child of children.toReversed()) await child.stop()
    await rm(layout.folder, { recursive: true, force: true })
  }
  try {
    return await start(layout, options, children, stop)
  } catch (error) {
    await stop()
    throw error
  }
}

async function start(
  layout: Layout,
  options: ControlPlaneOptions,
  children: Child[],
  stop: () => Promise<void>,
): Promise<ControlPlane> {
  const { folder, ports } = layout
  const authority = await createAuthority('joinery-peers')
  await writeServerFiles(folder, authority)
  const cluster: Cluster = { url: `https://127.0.0.1:${ports.apiServer}`, caCertificate: authority.certificate }
  const admin = await authority.client('admin', ['system:masters'])
  const launch = async (name: ControlPlaneProgram, flags: readonly string[]): Promise<Child> => {
    const program = await controlPlaneProgram(name)
    const args = [...program.args, ...flags]
    const child = startChild({ name, command: program.command, args, logPath: join(folder, `${name}.log`) })
    children.push(child)
    return child
  }

  await launch('etcd', etcdFlags(layout))
  const serviceAccounts = options.controllerManager === undefined ? 'ignored' : 'admitted'
  const startAPIServer = async (): Promise<Child> => {
    const flags = [...apiServerFlags(layout, { serviceAccounts }), ...(options.apiServerFlags ?? [])]
    const child = await launch('kube-apiserver', flags)
    await untilReady(child, startTimeoutMs, () => isApiServerReady(cluster, admin))
    return child
  }
  let apiServer = await startAPIServer()

  const access: Access = { folder, cluster, authority, admin, written: 0 }
  if (options.controllerManager !== undefined) {
    const kubeconfig = await kubeconfigFor(access, 'system:kube-controller-manager', [])
    const flags = controllerManagerFlags(layout, kubeconfig, options.controllerManager)
    const child = await launch('kube-controller-manager', flags)
    await untilReady(child, startTimeoutMs, () => isHealthy(ports.controllerManager))
    await untilReady(child, startTimeoutMs, async () => await hasDefaultServiceAccount(cluster, admin))
  }
  if (options.scheduler === 'run') {
    const kubeconfig = await kubeconfigFor(access, 'system:kube-scheduler', [])
    const configuration = join(folder, 'kube-scheduler.json')
    await writeFile(configuration, JSON.stringify(schedulerConfiguration(kubeconfig)))
    const child = await launch('kube-scheduler', schedulerFlags(layout, kubeconfig, configuration))
    await untilReady(child, startTimeoutMs, () => isHealthy(ports.scheduler))
  }

  const kubeconfig = await kubeconfigFor(access, 'admin', ['system:masters'])
  return {
    ...cluster,
    kubeconfig,
    kubeconfigFor: (user, groups = []) => kubeconfigFor(access, user, groups),
    serviceAccountKubeconfig: (namespace, name) => serviceAccountKubeconfig(access, namespace, name),
    request: (method, path, body, contentType) =>
      apiRequest(cluster, admin, { method, path, body, ...(contentType === undefined ? {} : { contentType }) }),
    kubectl: async (args, kubectlOptions = {}) => {
      const program = await kubectlProgram()
      const env = { ...kubectlOptions.env, KUBECONFIG: kubectlOptions.kubeconfig ?? kubeconfig, HOME: folder }
      return run(program.command, [...program.args, ...args], { ...kubectlOptions, env })
    },
    killAPIServer: async () => {
      await apiServer.kill()
      children.splice(children.indexOf(apiServer), 1)
    },
    startAPIServer: async () => {
      apiServer = await startAPIServer()
    },
    compact: () => compactHistory(ports.etcd),
    store: (objects, tell) => storeObjects(ports.etcd, objects, tell),
    logs: async (lines = 40) => {
      const tails = await Promise.all(
        children.map(async (child) => `== ${child.name}\n${await child.logTail(lines)}\n`),
      )
      return tails.join('')
    },
    stop,
  }
}

async function writeServerFiles(folder: string, authority: Authority): Promise<void> {
  const names = [
    'localhost',
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ]
  const server = await authority.server('kube-apiserver', names, ['127.0.0.1', kubernetesServiceAddress])
  const serviceAccountKey = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
  await writeFile(join(folder, 'ca.crt'), authority.certificate)
  await writeFile(join(folder, 'apiserver.crt'), server.certificate)
  await writeFile(join(folder, 'apiserver.key'), server.key, { mode: 0o600 })
  await writeFile(join(folder, 'service-account.key'), serviceAccountKey, { mode: 0o600 })
}

/** The namespace is made by a controller inside the API server, a moment after it says it is ready. */
async function isApiServerReady(cluster: Cluster, admin: KeyAndCertificate): Promise<boolean> {
  for (const path of ['/readyz', '/api/v1/namespaces/default']) {
    if ((await apiRequest(cluster, admin, { method: 'GET', path })).status !== 200) return false
  }
  return true
}

/** From then on pods can be created in the default namespace. */
async function hasDefaultServiceAccount(cluster: Cluster, admin: KeyAndCertificate): Promise<boolean> {
  const path = '/api/v1/namespaces/default/serviceaccounts/default'
  return (await apiRequest(cluster, admin, { method: 'GET', path })).status === 200
}

/** These two make their own serving certificate and keep it to themselves, and everyone may ask for their health. */
function isHealthy(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).on('error', reject)
  })
}

interface Access {
  readonly folder: string
  readonly cluster: Cluster
  readonly authority: Authority
  readonly admin: KeyAndCertificate
  /** How many kubeconfigs there are; numbers their files. */
  written: number
}

async function kubeconfigFor(access: Access, user: string, groups: readonly string[]): Promise<string> {
  return writeKubeconfig(nextPath(access), access.cluster, user, await access.authority.client(user, groups))
}

async function serviceAccountKubeconfig(access: Access, namespace: string, name: string): Promise<string> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  const post = (path: string, body: object): Promise<ApiResponse> =>
    apiRequest(access.cluster, access.admin, { method: 'POST', path, body })
  const created = await post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } })
  if (created.status !== 201 && created.status !== 409) throw new Error(`${accounts}: ${JSON.stringify(created.body)}`)
  const answer = await post(`${accounts}/${name}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 86_400 },
  })
  const { status } = answer.body as { status?: { token?: string } }
  if (status?.token === undefined) throw new Error(`${accounts}/${name}/token: ${JSON.stringify(answer.body)}`)
  return writeKubeconfig(nextPath(access), access.cluster, `${namespace}-${name}`, { token: status.token })
}

function nextPath(access: Access): string {
  access.written += 1
  return join(access.folder, `kubeconfig-${access.written}`)
}
