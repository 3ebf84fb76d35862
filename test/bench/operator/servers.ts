import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import type { KubeObject, ObjectMeta, Unsaved } from '../../../src/api/kubernetes.ts'
import { clientFor, createApiServer, serve } from '../../../src/embedded/apiserver/index.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import type { ObjectKey, Resource } from '../../../src/kube/resource.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { connect } from '../../peers/support/client.ts'
import { type ControlPlane, startControlPlane } from '../../peers/support/control-plane.ts'
import { installCRDs } from '../../peers/support/crds.ts'

export interface BenchServer {
  readonly kubeconfig: string
  readonly url: string
  /** `major.minor`, by which images are found. */
  readonly version: string
  readonly kube: KubeClient
  /** Puts whole objects there, with their status, and returns their uids. */
  writeAll<T extends WithStatus>(resource: Resource<T>, objects: readonly Unsaved<T>[]): Promise<readonly string[]>
  stop(): Promise<void>
}

type WithStatus = KubeObject & { status?: object }
type Tell = (text: string) => void

/** What the embedded server says of itself. */
const embeddedVersion = '1.33'
/** Requests under way at once. */
const writers = 64
const tellEvery = 10_000

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

/** Where the real API server keeps them. */
const registries = new Map<Resource, string>([
  [nodeClaims, '/registry/karpenter.sh/nodeclaims'],
  [nodes, '/registry/minions'],
  [pods, '/registry/pods'],
])

export async function startEmbedded(tell: Tell): Promise<BenchServer> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-bench-'))
  const server = createApiServer({ clock: systemClock(), random: new SeededRandom(1) })
  const kube = clientFor(server, { fieldManager: 'kubectl' })
  for (const crd of customResourceDefinitions as unknown as readonly KubeObject[]) await kube.create(definitions, crd)
  const kubeconfig = join(folder, 'kubeconfig')
  const running = await serve({ server, kubeconfigPath: kubeconfig })
  return {
    kubeconfig,
    url: running.url,
    version: embeddedVersion,
    kube,
    writeAll: (resource, objects) =>
      inParallel(objects, async (object, index) => {
        if (index % tellEvery === 0) tell(`${index} of ${objects.length} ${resource.plural} are there`)
        return (await writeOne(kube, resource, object)).metadata.uid
      }),
    stop: async () => {
      await running.close()
      server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The real server takes some three milliseconds of processor time for each of 84,000 requests, so only the first of a kind is sent to
 * it; the others follow its form (managed fields included) straight into etcd.
 */
export async function startReal(tell: Tell): Promise<BenchServer> {
  const controlPlane = await startControlPlane()
  await installCRDs(controlPlane)
  const { body } = await controlPlane.request('GET', '/version')
  const { major, minor } = body as { major: string; minor: string }
  const kube = connect(controlPlane.kubeconfig)
  return {
    kubeconfig: controlPlane.kubeconfig,
    url: controlPlane.url,
    version: `${major}.${minor}`,
    kube,
    writeAll: (resource, objects) => storeLike({ controlPlane, kube, tell }, resource, objects),
    stop: async () => {
      await kube.close()
      await controlPlane.stop()
    },
  }
}

async function storeLike<T extends WithStatus>(
  { controlPlane, kube, tell }: { readonly controlPlane: ControlPlane; readonly kube: KubeClient; readonly tell: Tell },
  resource: Resource<T>,
  objects: readonly Unsaved<T>[],
): Promise<readonly string[]> {
  const [first] = objects
  if (first === undefined) return []
  const registry = registries.get(resource) ?? ''
  const { managedFields } = (await writeOne(kube, resource, first)).metadata
  const creationTimestamp = toTimestamp(Date.now())
  const whole = objects.map((object) => {
    const served = { uid: randomUUID(), creationTimestamp, generation: 1, managedFields: managedFields ?? [] }
    return { ...object, metadata: { ...object.metadata, ...served } }
  })
  const stored = whole.map((value) => ({ key: `${registry}/${pathOf(value.metadata)}`, value }))
  await controlPlane.store(stored, (count) => {
    if (count % tellEvery === 0 || count === stored.length)
      tell(`${count} of ${stored.length} ${resource.plural} are there`)
  })
  // The server hears of them from etcd, and answers a list that has to be current when it has taken in all of them.
  await kube.list(resource, { limit: 1 })
  return whole.map(({ metadata }) => metadata.uid)
}

async function writeOne<T extends WithStatus>(kube: KubeClient, resource: Resource<T>, object: Unsaved<T>): Promise<T> {
  const created = await kube.create(resource, object)
  const body = { status: object.status }
  return kube.patch(resource, keyIn(created.metadata), { kind: 'merge', body }, { subresource: 'status' })
}

function keyIn({ namespace, name }: ObjectMeta): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name }
}

function pathOf({ namespace, name = '' }: Partial<ObjectMeta>): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

async function inParallel<T, R>(items: readonly T[], write: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = items.entries()
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await write(item, index)
  }
  await Promise.all(Array.from({ length: writers }, worker))
  return results
}
