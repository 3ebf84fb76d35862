import { beforeAll, expect, test } from 'vitest'
import { judge } from '../../../src/admission/index.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

type Metadata = Readonly<Record<string, unknown>>

const long = (length: number): string => 'a'.repeat(length)

/** What is said about each must be the same, word for word. */
const worded: Record<string, Metadata | null> = {
  'no metadata': null,
  'no name': {},
  'an empty name': { name: '' },
  'capitals in the name': { name: 'Default' },
  'an underscore in the name': { name: 'my_pool' },
  'a space in the name': { name: 'my pool' },
  'a dash at the end of the name': { name: 'pool-' },
  'a dot at the beginning of the name': { name: '.pool' },
  'two dots in the name': { name: 'a..b' },
  'letters beyond ASCII in the name': { name: 'pööl' },
  'a slash in the name': { name: 'a/b' },
  'a percent sign in the name': { name: 'a%b' },
  'a name of one dot': { name: '.' },
  'a name of 254 characters': { name: long(254) },
  'a name of 253 characters': { name: long(253) },
  'a generated name that begins badly': { generateName: 'Pool-' },
  'a generated name that ends in a dash': { generateName: 'pool-' },
  'a generated name of nothing but a dash': { generateName: '-' },
  'a label key with a space': { name: 'p', labels: { 'a b': 'c' } },
  'an empty label key': { name: 'p', labels: { '': 'c' } },
  'a label key that ends in a slash': { name: 'p', labels: { 'a/': 'c' } },
  'a label key that begins with a slash': { name: 'p', labels: { '/a': 'c' } },
  'a label key with two slashes': { name: 'p', labels: { 'a/b/c': 'd' } },
  'a label key with a prefix in capitals': { name: 'p', labels: { 'Example.com/a': 'b' } },
  'a label key of 64 characters': { name: 'p', labels: { [long(64)]: 'b' } },
  'a label key with a prefix of 254 characters': { name: 'p', labels: { [`${long(254)}/a`]: 'b' } },
  'a label value with a space': { name: 'p', labels: { a: 'b c' } },
  'a label value that ends in a dot': { name: 'p', labels: { a: 'b.' } },
  'a label value of 64 characters': { name: 'p', labels: { a: long(64) } },
  'a label value beyond ASCII': { name: 'p', labels: { a: 'é' } },
  'several labels that are wrong': { name: 'p', labels: { 'z z': 'y y', 'b b': 'c' } },
  'an annotation key with a space': { name: 'p', annotations: { 'a b': 'c' } },
  'an annotation key with two slashes': { name: 'p', annotations: { 'a/b/c': 'd' } },
  'an annotation key in capitals': { name: 'p', annotations: { 'Example.com/A': 'any text at all' } },
  'annotations of 256 KiB and more': { name: 'p', annotations: { a: 'x'.repeat(256 * 1024) } },
  'a finalizer without a domain': { name: 'p', finalizers: ['mine'] },
  'a finalizer with a space': { name: 'p', finalizers: ['example.com/a b'] },
  'a finalizer of Kubernetes': { name: 'p', finalizers: ['foregroundDeletion'] },
  'a finalizer with two slashes': { name: 'p', finalizers: ['a/b/c'] },
  'an empty finalizer': { name: 'p', finalizers: [''] },
  'a name, a label and a finalizer that are wrong': { name: 'P', labels: { a: 'b c' }, finalizers: ['mine'] },
  'a label value of null': { name: 'p', labels: { a: null } },
  'a finalizer of null': { name: 'p', finalizers: [null] },
  'characters that Go does not print as they are': { name: 'p', labels: { '\u0001': '\u2028\u00a0é' } },
  'fields of the server': {
    name: 'p',
    namespace: 'kube-system',
    uid: 'x',
    generation: 5,
    creationTimestamp: null,
    deletionTimestamp: '2026-01-01T00:00:00Z',
    managedFields: [],
  },
  'an owner': { name: 'p', ownerReferences: [{ apiVersion: 'apps/v1', kind: 'A', name: 'a', uid: 'u' }] },
  'an owner that says nothing of itself': { name: 'p', ownerReferences: [{}] },
  'an owner of null': { name: 'p', ownerReferences: [null] },
  'an owner of no version': { name: 'p', ownerReferences: [{ apiVersion: 'apps/', kind: 'A', name: 'a', uid: 'u' }] },
  'an owner with too many slashes': {
    name: 'p',
    ownerReferences: [{ apiVersion: 'a/b/c', kind: 'A', name: 'a', uid: 'u' }],
  },
  'an event as owner': { name: 'p', ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'u' }] },
  'two owners that control': {
    name: 'p',
    ownerReferences: [
      { apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: true },
      { apiVersion: 'v1', kind: 'B', name: 'b', uid: 'v', controller: true },
    ],
  },
}

/** What a server cannot even read it refuses in words of its decoder; the verdict must be the same. */
const unreadable: Record<string, Metadata> = {
  'a number as the name': { name: 5 },
  'a list of labels': { name: 'p', labels: ['a'] },
  'a number as a label value': { name: 'p', labels: { a: 5 } },
  'a boolean as an annotation': { name: 'p', annotations: { a: true } },
  'text in place of finalizers': { name: 'p', finalizers: 'example.com/a' },
  'a number among the finalizers': { name: 'p', finalizers: [5] },
  'a number as the namespace': { name: 'p', namespace: 5 },
  'text as the generation': { name: 'p', generation: '5' },
  'a fraction as the generation': { name: 'p', generation: 1.5 },
  'a number as the uid': { name: 'p', uid: 5 },
  'a date without a time': { name: 'p', creationTimestamp: '2026-01-01' },
  'no time at all': { name: 'p', creationTimestamp: '' },
  'a number as the time of deletion': { name: 'p', deletionTimestamp: 5 },
  'text in place of owners': { name: 'p', ownerReferences: 'a' },
  'text as whether an owner controls': {
    name: 'p',
    ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: 'yes' }],
  },
  'an object in place of managed fields': { name: 'p', managedFields: {} },
  'text among the managed fields': { name: 'p', managedFields: ['a'] },
  'a generation beyond 64 bits': { name: 'p', generation: 1e20 },
  'a number as the prefix of the name': { generateName: 5 },
}

await describeWithPeers('metadata is judged as by a real API server', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  beforeAll(() => installCRDs(controlPlane()))

  test.each(Object.entries(worded))('%s', async (_name, metadata) => {
    expect(judgedByUs(metadata)).toEqual(await judgedByServer(controlPlane(), metadata))
  })

  test.each(Object.entries(unreadable))('%s', async (_name, metadata) => {
    const [ours, theirs] = [judgedByUs(metadata), await judgedByServer(controlPlane(), metadata)]
    expect([ours.length > 0, theirs.length > 0]).toEqual([true, true])
  })
})

function poolWith(metadata: Metadata | null): object {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    ...(metadata === null ? {} : { metadata }),
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
  }
}

/** `path: text` of each mistake. */
function judgedByUs(metadata: Metadata | null): readonly string[] {
  const object = poolWith(metadata) as KubeObject
  return judge({ object, operation: 'CREATE', rules: 'crd', now: 0 })
    .errors.map(({ path, message }) => `${path}: ${message}`)
    .sort()
}

/** `path: text` of each mistake, without those of the name that it made up from a bad prefix. */
async function judgedByServer(controlPlane: ControlPlane, metadata: Metadata | null): Promise<readonly string[]> {
  const { status, body } = await controlPlane.request(
    'POST',
    '/apis/karpenter.sh/v1/nodepools?dryRun=All',
    poolWith(metadata),
  )
  if (status === 201) return []
  const { message, details } = body as { message: string; details?: { causes?: { field: string; message: string }[] } }
  const causes = details?.causes ?? []
  return causes.length === 0
    ? [`${status}: ${message}`]
    : causes
        .filter(({ field }) => field !== 'metadata.name' || metadata?.['generateName'] === undefined)
        .map(({ field, message: text }) => `${field}: ${text}`)
        .sort()
}
