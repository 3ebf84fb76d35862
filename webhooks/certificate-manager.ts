import { createPrivateKey, X509Certificate } from 'node:crypto'
import { hasCode, isNotFound } from '../src/kube/errors.ts'
import type { Logger } from '../src/kube/logger.ts'
import type { KubeClient } from '../src/kube/port.ts'
import type { Resource } from '../src/kube/resource.ts'
import type { Clock } from '../src/model/clock.ts'
import { type Issued, issueAuthority, issueLeaf } from './certificates.ts'
import {
  bundleOf,
  type CertificateState,
  type CertificateStep,
  decideCertificateStep,
  defaultLifetimes,
  type Lifetimes,
} from './certificate-rotation.ts'
import {
  mutatingWebhookConfigurations,
  type Secret,
  secrets,
  validatingWebhookConfigurations,
  type WebhookConfiguration,
} from './kinds.ts'
import type { TLSMaterial } from './connections.ts'

export interface CertificateManagerOptions {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly log: Logger
  readonly namespace: string
  readonly secretName: string
  /** Of the Service, as the API server calls it: `name.namespace.svc`. */
  readonly hosts: readonly string[]
  /** Names of the configurations whose caBundle is ours; one that does not exist is passed over until it does. */
  readonly validating: readonly string[]
  readonly mutating: readonly string[]
  readonly lifetimes?: Lifetimes
  /** How often to look whether something is due, another replica wrote, or a configuration was re-created without its bundle. */
  readonly recheckMs?: number
}

/** Only this manager writes caBundle, so that a syncing tool that ignores the field never fights over it. */
const fieldManager = 'joinery-webhook-certificates'
const retryMs = 5_000
/** Another replica was faster: what it wrote is there to be read. */
const raceLostMs = 100
/** More than replicas can lose to one another, who take three steps at most: something else answers with a conflict, a policy for instance. */
const racesLostMax = 10
const defaultRecheckMs = 60_000

/**
 * Keeps the webhook's certificates alive: one Secret that all replicas share, renewed in place, and the CA bundle of the webhook
 * configurations. Every step is one conditional write, so replicas may race and a crash leaves nothing half done.
 */
export async function manageCertificates(
  options: CertificateManagerOptions,
  onCertificate: (tls: TLSMaterial) => void,
  signal: AbortSignal,
): Promise<void> {
  const { recheckMs = defaultRecheckMs } = options
  let served = ''
  const serve = ({ leaf: { certificate, key } }: CertificateState): void => {
    if (certificate === served) return
    onCertificate({ certificate, key })
    served = certificate
  }
  let racesLost = 0
  while (!signal.aborted) {
    let waitMs = recheckMs
    try {
      const state = await reconcileOnce(options)
      // Where the bundle cannot be published, the one from before mostly verifies what is stored, and knows none that comes later.
      if (served === '') serve(state)
      await publishBundle(options, state)
      serve(state)
      racesLost = 0
      if (decideCertificateStep(state, options.clock.now()).kind !== 'keep') waitMs = 0
    } catch (error) {
      if (signal.aborted) return
      racesLost = hasCode(error, 'Conflict') ? racesLost + 1 : 0
      const isRaceLost = racesLost > 0 && racesLost <= racesLostMax
      if (!isRaceLost) options.log.error({ err: error }, 'webhook certificates could not be renewed')
      waitMs = isRaceLost ? raceLostMs : retryMs
    }
    try {
      await options.clock.sleep(waitMs, signal)
    } catch {
      return
    }
  }
}

/**
 * Takes at most one step and returns what is stored after it. The Secret comes with the manifests, at first empty: who may create one may
 * create any in the namespace, a token to join the cluster with among them.
 */
async function reconcileOnce(options: CertificateManagerOptions): Promise<CertificateState> {
  const { kube, namespace, secretName } = options
  const secret = await kube.get(secrets, { namespace, name: secretName })
  const state = parseState(secret)
  const step = nextStep(state, options)
  if (step.kind === 'keep' && state !== undefined) return state
  const next = await takeStep(step, state, options)
  const data = { 'state.json': Buffer.from(JSON.stringify(next)).toString('base64') }
  await kube.update(secrets, { ...secret, data }, { fieldManager })
  options.log.info({ step: step.kind, Secret: { namespace, name: secretName } }, 'renewed webhook certificates')
  return next
}

/** A leaf that no API server would accept is renewed whatever its age: the Secret may come from another namespace, or the Service have a new name. */
function nextStep(
  state: CertificateState | undefined,
  { clock, hosts }: Pick<CertificateManagerOptions, 'clock' | 'hosts'>,
): CertificateStep {
  const step = decideCertificateStep(state, clock.now())
  return step.kind === 'keep' && state !== undefined && !isAccepted(state, hosts) ? { kind: 'renewLeaf' } : step
}

/** Whether what is published verifies the leaf, for each of the names. */
function isAccepted({ authority, previousAuthority, leaf }: CertificateState, hosts: readonly string[]): boolean {
  const certificate = new X509Certificate(leaf.certificate)
  const signers = previousAuthority === undefined ? [authority] : [authority, previousAuthority]
  return (
    hosts.every((host) => certificate.checkHost(host) !== undefined) &&
    signers.some((signer) => certificate.verify(new X509Certificate(signer.certificate).publicKey))
  )
}

async function takeStep(
  step: CertificateStep,
  state: CertificateState | undefined,
  { clock, hosts, lifetimes = defaultLifetimes }: CertificateManagerOptions,
): Promise<CertificateState> {
  const now = clock.now()
  if (state === undefined || step.kind === 'create') {
    const authority = await issueAuthority(now, lifetimes.authorityMs)
    return { authority, previousAuthority: undefined, leaf: await issueLeaf(authority, hosts, now, lifetimes.leafMs) }
  }
  switch (step.kind) {
    case 'renewAuthority':
      return {
        ...state,
        authority: await issueAuthority(now, lifetimes.authorityMs),
        previousAuthority: state.authority,
      }
    case 'renewLeaf':
      return { ...state, leaf: await issueLeaf(state.authority, hosts, now, lifetimes.leafMs) }
    case 'dropPreviousAuthority':
      return { ...state, previousAuthority: undefined }
    case 'keep':
      return state
  }
}

async function publishBundle(options: CertificateManagerOptions, state: CertificateState): Promise<void> {
  const caBundle = Buffer.from(bundleOf(state)).toString('base64')
  for (const name of options.validating) {
    await publishTo(options.kube, validatingWebhookConfigurations, { name, caBundle })
  }
  for (const name of options.mutating) await publishTo(options.kube, mutatingWebhookConfigurations, { name, caBundle })
}

/** `refused`: what was answered to a change of which version. */
async function publishTo(
  kube: KubeClient,
  resource: Resource<WebhookConfiguration>,
  { name, caBundle, refused }: { name: string; caBundle: string; refused?: { version: string; error: unknown } },
): Promise<void> {
  let configuration: WebhookConfiguration
  try {
    configuration = await kube.get(resource, { name })
  } catch (error) {
    if (isNotFound(error)) return
    throw error
  }
  const version = configuration.metadata.resourceVersion
  // Nobody was faster: it is the change itself that is not wanted, by a policy for instance.
  if (refused?.version === version) throw refused.error
  const webhooks = configuration.webhooks ?? []
  const operations = webhooks.flatMap((webhook, index) =>
    webhook.clientConfig.caBundle === caBundle
      ? []
      : [{ op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle }],
  )
  if (operations.length === 0) return
  // Positions count only in the version that was read.
  const guard = { op: 'test', path: '/metadata/resourceVersion', value: version }
  try {
    await kube.patch(resource, { name }, { kind: 'json', body: [guard, ...operations] }, { fieldManager })
  } catch (error) {
    if (!hasCode(error, 'Invalid', 'Conflict', 'NotFound')) throw error
    await publishTo(kube, resource, { name, caBundle, refused: { version, error } })
  }
}

/** Undefined when the Secret holds nothing usable: it is then filled anew. */
function parseState(secret: Secret): CertificateState | undefined {
  const text = secret.data?.['state.json']
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString('utf8'))
    return isState(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isState(value: unknown): value is CertificateState {
  if (typeof value !== 'object' || value === null) return false
  const { authority, previousAuthority, leaf } = value as Partial<CertificateState>
  return isIssued(authority) && isIssued(leaf) && (previousAuthority === undefined || isIssued(previousAuthority))
}

function isIssued(value: unknown): value is Issued {
  if (typeof value !== 'object' || value === null) return false
  const { certificate, key, issuedAt, notAfter } = value as Partial<Issued>
  return (
    typeof certificate === 'string' &&
    typeof key === 'string' &&
    typeof issuedAt === 'number' &&
    typeof notAfter === 'number' &&
    isPair(certificate, key)
  )
}

/** A Secret may have been edited, or put together from two backups: what cannot be served is as good as nothing. */
function isPair(certificate: string, key: string): boolean {
  try {
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
}
