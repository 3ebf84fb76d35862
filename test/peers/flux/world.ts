import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { labelNodePool } from '../../../src/api/labels.ts'
import { eventually } from '../support/eventually.ts'
import { kustomizationCRD, startFlux } from '../support/flux-process.ts'
import { startJoinery } from '../support/joinery-process.ts'
import { runOrThrow } from '../support/run.ts'
import { startSourceServer } from './source-server.ts'

const example = join(import.meta.dirname, '..', '..', '..', 'manifests', 'flux', 'clusters', 'demo', 'joinery.yaml')
const namespace = 'flux-system'
/** Real seconds are what Flux waits by; in one of them the fleet has half a minute. */
const speed = 30

/** A manifest in the repository, or an object of the cluster. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: unknown
  readonly status?: unknown
}

/** What Flux says of the example's Kustomization. */
interface Standing {
  /** Of the last commit that is applied and healthy. */
  readonly revision: string
  readonly ready: string
  readonly message: string
}

/** `joinery up` with a fleet of three nodes, and Flux's kustomize-controller at work in it as the example has it. */
export interface FluxWorld {
  /** A commit that holds these manifests, and nothing else, in the folder of the pools. */
  commit(name: string, manifests: readonly Manifest[]): Promise<void>
  standing(): Promise<Standing>
  get(resource: string, name: string): Promise<Manifest>
  /** Whoever applies without Git. */
  apply(manifest: object): Promise<void>
  delete(resource: string, name: string): Promise<void>
  /** How many nodes the pools have, and how many of them carry the hash that their class has now. */
  nodes(): Promise<{ readonly all: number; readonly upToDate: number }>
  report(): Promise<string>
  stop(): Promise<void>
}

export async function startFluxWorld(): Promise<FluxWorld> {
  await using started = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'joinery-flux-world-'))
  started.defer(() => rm(folder, { recursive: true, force: true }))
  const kubeconfig = join(folder, 'kubeconfig')
  const args = ['up', '--port', '0', '--page-port', '0', '--kubeconfig', kubeconfig, '--speed', String(speed)]
  const up = await startJoinery({
    args: [...args, '--nodes', '3'],
    env: {},
    isReady: () => Promise.resolve(existsSync(kubeconfig)),
  })
  started.defer(() => up.dispose())
  const kubectl = (words: readonly string[], input?: string): Promise<string> =>
    runOrThrow('kubectl', words, { env: { KUBECONFIG: kubeconfig }, ...(input === undefined ? {} : { input }) })
  const apply = async (...manifests: readonly object[]): Promise<void> => {
    await kubectl(['apply', '--server-side', '-f', '-'], manifests.map((each) => stringify(each)).join('---\n'))
  }
  const list = async (resource: string): Promise<readonly Manifest[]> =>
    (JSON.parse(await kubectl(['get', resource, '-o', 'json'])) as { items: Manifest[] }).items

  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, ...sourceCRDs())
  await kubectl(['apply', '--server-side', '-f', '-'], await kustomizationCRD())
  await eventually(
    'the definitions are served',
    async () => (await list('kustomizations,gitrepositories')).length === 0,
  )
  const [repository, kustomization] = await examplePools()
  await apply(repository, kustomization)
  const source = await startSourceServer()
  started.defer(() => source.close())
  const flux = await startFlux({ kubeconfig })
  started.defer(() => flux.dispose())

  const stops = started.move()
  const inFlux = ['-n', namespace]
  const get = async (resource: string, name: string, more: readonly string[] = []): Promise<Manifest> =>
    JSON.parse(await kubectl(['get', resource, name, '-o', 'json', ...more])) as Manifest
  return {
    async commit(name, manifests) {
      const text = manifests.map((each) => stringify(each)).join('---\n')
      const artifact = await source.archive(name, { 'infrastructure/pools/pools.yaml': text })
      const status = { artifact, observedGeneration: 1, conditions: [fetched(artifact.lastUpdateTime)] }
      const patch = ['patch', 'gitrepository', repository.metadata.name, ...inFlux, '--subresource=status']
      await kubectl([...patch, '--type=merge', '-p', JSON.stringify({ status })])
    },
    async standing() {
      const { status } = await get('kustomization', kustomization.metadata.name, inFlux)
      const { lastAppliedRevision = '', conditions = [] } = (status ?? {}) as {
        lastAppliedRevision?: string
        conditions?: { type: string; status: string; message: string }[]
      }
      const { status: ready = '', message = '' } = conditions.find(({ type }) => type === 'Ready') ?? {}
      return { revision: lastAppliedRevision.replace('main@sha1:', ''), ready, message }
    },
    get,
    apply: (manifest) => apply(manifest),
    delete: async (resource, name) => void (await kubectl(['delete', resource, name])),
    async nodes() {
      const hash = 'karpenter.k8s.aws/ec2nodeclass-hash'
      const wanted = (await get('ec2nodeclass', 'default')).metadata.annotations?.[hash]
      const claims = await list('nodeclaims')
      const upToDate = claims.filter(({ metadata }) => metadata.annotations?.[hash] === wanted)
      const standing = JSON.parse(await kubectl(['get', 'nodes', '-l', labelNodePool, '-o', 'json'])) as {
        items: unknown[]
      }
      return { all: Math.max(claims.length, standing.items.length), upToDate: upToDate.length }
    },
    async report() {
      const seen = ['get', 'nodepools,ec2nodeclasses,nodeclaims,rolloutpolicies,kustomizations', '-A', '-o', 'wide']
      return [await kubectl(seen), await flux.logTail(30), await up.logTail(20)].join('\n')
    },
    stop: () => stops.disposeAsync(),
  }
}

/** The repository and the Kustomization of the pools as the example has them, waiting less long. */
async function examplePools(): Promise<readonly [Manifest, Manifest]> {
  const documents = parseAllDocuments(await readFile(example, 'utf8')).map((document) => document.toJS() as Manifest)
  const of = (kind: string, name: string): Manifest => {
    const found = documents.find((each) => each.kind === kind && each.metadata.name === name)
    if (found === undefined) throw new Error(`the example has no ${kind} ${name}`)
    return found
  }
  const pools = of('Kustomization', 'joinery-pools')
  // The controller is there already: `joinery up` is one.
  const { dependsOn: _controller, ...spec } = pools.spec as Record<string, unknown>
  return [of('GitRepository', 'platform'), { ...pools, spec: { ...spec, timeout: '10s', retryInterval: '2s' } }]
}

function fetched(lastTransitionTime: string): object {
  const message = 'stored artifact'
  return { type: 'Ready', status: 'True', reason: 'Succeeded', message, observedGeneration: 1, lastTransitionTime }
}

/** The kinds that kustomize-controller watches; what they hold is source-controller's business. */
function sourceCRDs(): readonly object[] {
  const group = 'source.toolkit.fluxcd.io'
  return ['GitRepository', 'OCIRepository', 'Bucket', 'ExternalArtifact'].map((kind) => {
    const singular = kind.toLowerCase()
    const plural = kind.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        names: { kind, plural, singular, listKind: `${kind}List` },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema, subresources: { status: {} } }],
      },
    }
  })
}
