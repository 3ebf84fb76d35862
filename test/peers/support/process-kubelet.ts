import { mkdtemp, rm } from 'node:fs/promises'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { V1Container, V1Probe, V1Service } from '@kubernetes/client-node'
import type { Pod } from '../../../src/api/kubernetes.ts'
import { isConflict, isNotFound } from '../../../src/kube/errors.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { leases, nodes, pods, services } from '../../../src/kube/kinds.ts'
import { keyOf } from '../../../src/kube/resource.ts'
import { type Child, startChild } from './child.ts'
import { environmentOf, numberOf, type Ports, withPorts } from './container-environment.ts'
import type { ControlPlane } from './control-plane.ts'
import { ownAddress } from './own-address.ts'
import { freePorts } from './ports.ts'
import type { Program } from './programs.ts'
import { repeat } from './repeat.ts'

export interface ProcessKubeletOptions {
  readonly controlPlane: ControlPlane
  readonly kube: HTTPClient
  /** What an image holds: a program, which a container's arguments follow. */
  readonly programOf: (image: string) => Program
  /** What every container gets besides, as Pod Identity gives credentials. */
  readonly env: Readonly<Record<string, string>>
}

export interface ProcessKubelet {
  /** The ends of what the containers have printed, those that ended included. */
  logs(lines?: number): Promise<string>
  /** All that pods of a Deployment have printed, those that ended included. */
  output(deployment: string): Promise<string>
  /** The metrics of all pods of a Deployment, one after the other. */
  scrape(deployment: string, port: number): Promise<string>
  stop(): Promise<void>
}

/** A pod that was started; its ports are of this machine, since pods have no addresses of their own here. */
interface Running {
  readonly pod: Pod
  readonly container: V1Container
  readonly ports: Ports
  readonly startedAt: string
  child: Child
  restarts: number
  told: string
}

const names = ['system-1', 'system-2'] as const
const roundMs = 250
/** Room for a replica of each Deployment of ours, and not for a whole CPU more. */
const capacity = { cpu: '2', memory: '16Gi', pods: '20', 'ephemeral-storage': '50Gi' }

/**
 * Two nodes that were there before any autoscaler, as a managed node group is, whose pods are processes of this machine: the first
 * container's arguments, environment, account and readiness probe are those of the manifest. Service endpoints are written by it, too.
 */
export async function startProcessKubelet(options: ProcessKubeletOptions): Promise<ProcessKubelet> {
  const { kube, controlPlane } = options
  const folder = await mkdtemp(join(tmpdir(), 'joinery-process-kubelet-'))
  const running = new Map<string, Running>()
  const ended: Running[] = []
  await Promise.all(names.map((name, index) => enrol(kube, name, index)))

  const loop = repeat(roundMs, async () => {
    const { items } = await kube.list(pods)
    const mine = items.filter(({ spec }) => (names as readonly string[]).includes(spec.nodeName ?? ''))
    const present = new Set(mine.map(({ metadata }) => metadata.uid))
    for (const [uid, each] of running) if (!present.has(uid)) await end(uid, each)
    await Promise.all(mine.map((pod) => look(pod)))
    await Promise.all(names.map((name) => renew(kube, name)))
  })

  async function look(pod: Pod): Promise<void> {
    const known = running.get(pod.metadata.uid)
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (known !== undefined) await end(pod.metadata.uid, known)
      try {
        await kube.delete(pods, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } })
      } catch (error) {
        // Ending it took a while, and others remove pods, too.
        if (!isNotFound(error) && !isConflict(error)) throw error
      }
      return
    }
    const each = known ?? (await start(pod))
    running.set(pod.metadata.uid, each)
    if (each.child.ended) {
      each.child = await launch(each.pod, each.container, each.ports)
      each.restarts += 1
    }
    const isReady = await answers(each.container.readinessProbe, each)
    const told = `${isReady} ${each.restarts}`
    if (told === each.told) return
    await tell(each, isReady)
    each.told = told
  }

  async function start(pod: Pod): Promise<Running> {
    const [container] = pod.spec.containers as unknown as readonly V1Container[]
    if (container === undefined) throw new Error(`${pod.metadata.name} has no container`)
    const wanted = (container.ports ?? []).map(({ containerPort }) => containerPort)
    const free = await freePorts(...wanted.map(String))
    const ports = new Map(wanted.map((port) => [port, free[String(port)] ?? port]))
    const startedAt = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
    return { pod, container, ports, startedAt, child: await launch(pod, container, ports), restarts: 0, told: '' }
  }

  async function launch(pod: Pod, container: V1Container, ports: Ports): Promise<Child> {
    const { namespace = '' } = pod.metadata
    const program = options.programOf(container.image ?? '')
    return startChild({
      name: pod.metadata.name,
      command: program.command,
      args: [...program.args, ...(container.args ?? []).map((arg) => withPorts(arg, ports))],
      logPath: join(folder, `${pod.metadata.name}.log`),
      env: {
        ...options.env,
        KUBECONFIG: await controlPlane.serviceAccountKubeconfig(namespace, pod.spec.serviceAccountName ?? 'default'),
        ...environmentOf(pod, container, ports),
      },
    })
  }

  async function tell({ pod, container, startedAt, restarts, ports }: Running, isReady: boolean): Promise<void> {
    const podIP = ownAddress()
    const conditions = ['Initialized', 'PodScheduled', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: type.endsWith('Ready') && !isReady ? 'False' : 'True',
      lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    }))
    const containerStatuses = [
      {
        name: container.name,
        image: container.image ?? '',
        imageID: '',
        ready: isReady,
        started: true,
        restartCount: restarts,
        state: { running: { startedAt } },
      },
    ]
    const status = {
      phase: 'Running',
      startTime: startedAt,
      podIP,
      podIPs: [{ ip: podIP }],
      conditions,
      containerStatuses,
    }
    await kube.patch(pods, keyOf(pod), { kind: 'merge', body: { status } }, { subresource: 'status' })
    if (isReady) await publish(pod, container, ports)
  }

  /** As the endpoint controllers would, but for the ports, which are this machine's. */
  async function publish(pod: Pod, container: V1Container, ports: Ports): Promise<void> {
    const { namespace = '', name, labels = {} } = pod.metadata
    for (const service of (await kube.list(services, { namespace })).items) {
      const { metadata } = service
      const { spec } = service as unknown as V1Service
      const selector = Object.entries(spec?.selector ?? {})
      if (selector.length === 0 || selector.some(([key, value]) => labels[key] !== value)) continue
      const { status, body } = await controlPlane.request(
        'POST',
        `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
        {
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: { name: `${metadata.name}-${name}`, labels: { 'kubernetes.io/service-name': metadata.name } },
          addressType: 'IPv4',
          ports: (spec?.ports ?? []).map((port) => ({
            name: port.name,
            port: ports.get(numberOf(container, port.targetPort)) ?? 0,
            protocol: 'TCP',
          })),
          endpoints: [{ addresses: [ownAddress()], conditions: { ready: true } }],
        },
      )
      if (status !== 201 && status !== 409) throw new Error(JSON.stringify(body))
    }
  }

  async function end(uid: string, each: Running): Promise<void> {
    running.delete(uid)
    ended.push(each)
    await each.child.stop()
    const { namespace = '', name } = each.pod.metadata
    for (const { metadata } of (await kube.list(services, { namespace })).items) {
      await controlPlane.request(
        'DELETE',
        `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/${metadata.name}-${name}`,
      )
    }
  }

  return {
    logs: async (lines = 20) => {
      const all = [...ended, ...running.values()]
      const tails = await Promise.all(all.map(async ({ child }) => `== ${child.name}\n${await child.logTail(lines)}\n`))
      return tails.join('')
    },
    output: async (deployment) => {
      const own = [...ended, ...running.values()].filter((each) => isOf(deployment, each))
      return (await Promise.all(own.map(({ child }) => child.logTail(Infinity)))).join('\n')
    },
    scrape: async (deployment, port) => {
      const own = [...running.values()].filter((each) => isOf(deployment, each))
      const texts = own.map(async ({ ports }) => (await fetch(`http://127.0.0.1:${ports.get(port)}/metrics`)).text())
      return (await Promise.all(texts)).join('\n')
    },
    stop: async () => {
      await loop.stop()
      await Promise.all([...running.values()].map(({ child }) => child.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isOf(deployment: string, { pod: { metadata } }: Running): boolean {
  return metadata.name.replace(/-[^-]+-[^-]+$/, '') === deployment
}

async function enrol(kube: HTTPClient, name: string, index: number): Promise<void> {
  await kube.create(nodes, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': 'm5.2xlarge',
        'topology.kubernetes.io/zone': index === 0 ? 'us-east-1a' : 'us-east-1b',
      },
    },
    // The other simulated kubelets leave nodes of instances that they do not know alone.
    spec: { providerID: `aws:///us-east-1a/i-${name}` },
  })
  await renew(kube, name)
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'KubeletReady',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }
  const status = { capacity, allocatable: capacity, conditions: [condition] }
  await kube.patch(nodes, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' })
}

/** What the node lifecycle controller takes for a heartbeat. */
async function renew(kube: HTTPClient, name: string): Promise<void> {
  await kube.patch(
    leases,
    { namespace: 'kube-node-lease', name },
    {
      kind: 'apply',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace: 'kube-node-lease' },
        spec: {
          holderIdentity: name,
          leaseDurationSeconds: 40,
          renewTime: new Date().toISOString().replace('Z', '000Z'),
        },
      },
      force: true,
    },
    { fieldManager: 'process-kubelet' },
  )
}

/** Whether the probe is answered; the certificate of who answers is not looked at, as kubelets do not. */
function answers(probe: V1Probe | undefined, { container, ports, child }: Running): Promise<boolean> {
  const { httpGet: asked } = probe ?? {}
  if (asked === undefined) return Promise.resolve(!child.ended)
  const port = ports.get(numberOf(container, asked.port)) ?? 0
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: asked.path, rejectUnauthorized: false, timeout: 5_000 }
    const get = asked.scheme === 'HTTPS' ? httpsGet : httpGet
    get(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
      .on('timeout', () => resolve(false))
      .on('error', () => resolve(false))
  })
}
