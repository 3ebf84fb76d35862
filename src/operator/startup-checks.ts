import { messageOf } from '../api/error-text.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import { hasCode, KubeError } from '../kube/errors.ts'
import { deviceClasses, resourceClaims, resourceSlices } from '../kube/kinds.ts'
import type { Logger } from '../kube/logger.ts'
import type { KubeClient } from '../kube/port.ts'
import { apiVersionOf, type Resource } from '../kube/resource.ts'
import type { Clock } from '../model/clock.ts'

/** Something that must be there before the controllers can work, and what to do about it. */
export interface StartupProblem {
  readonly subject: string
  readonly message: string
}

export interface StartupChecks {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** Kinds that are watched. */
  readonly watched: readonly Resource[]
  /** Told at each look what is missing; undefined when nothing is. */
  readonly onMissing: (problem: string | undefined) => void
}

interface Definition extends KubeObject {
  spec: { versions?: { name: string; served?: boolean }[] }
}

const definitions: Resource<Definition> = Object.freeze({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})

const retryMs = 10_000
/** The same problems are told again after so long, in case nobody read the first time. */
const repeatMs = 300_000

/** Waits until nothing is missing, saying in the log what is. Going on by itself spares a restart when it appears. */
export async function awaitStartupChecks(checks: StartupChecks, signal: AbortSignal): Promise<void> {
  let told = ''
  let toldAt = Number.NEGATIVE_INFINITY
  for (;;) {
    const problems = await startupProblems(checks, signal)
    if (problems.length === 0) {
      checks.onMissing(undefined)
      if (told !== '') checks.log.info({}, 'everything that was missing is there, starting')
      return
    }
    const text = problems.map(({ message }) => message).join('; ')
    checks.onMissing(text)
    const now = checks.clock.monotonicMs()
    if (text !== told || now - toldAt >= repeatMs) {
      for (const { subject, message } of problems) checks.log.error({ subject, err: message }, 'cannot start yet')
      told = text
      toldAt = now
    }
    await checks.clock.sleep(retryMs, signal)
  }
}

export async function startupProblems(
  checks: Pick<StartupChecks, 'client' | 'watched'>,
  signal?: AbortSignal,
): Promise<readonly StartupProblem[]> {
  const problems: StartupProblem[] = []
  for (const resource of checks.watched) {
    const problem = await problemWith(checks.client, resource, signal)
    if (problem === undefined) continue
    problems.push({ subject: subjectOf(resource), message: problem })
    // When nothing answers, one line says it; another twenty would only hide it.
    if (problem.startsWith(unreachable)) break
  }
  return problems
}

const unreachable = 'the API server does not answer'

async function problemWith(client: KubeClient, resource: Resource, signal?: AbortSignal): Promise<string | undefined> {
  try {
    await client.list(resource, { limit: 1, signal })
    return undefined
  } catch (error) {
    signal?.throwIfAborted()
    if (hasCode(error, 'NotFound')) return missingKind(client, resource, signal)
    if (hasCode(error, 'Forbidden')) {
      return `the service account may not list ${subjectOf(resource)}: its ClusterRole is older than this program or was narrowed; apply the one from the release`
    }
    if (hasCode(error, 'Unauthorized')) return `${unreachable} to these credentials: ${messageOf(error)}`
    return `${unreachable}: ${messageOf(error)}`
  }
}

/** Why a kind is not served: its definition is not there, or serves only older versions. */
async function missingKind(client: KubeClient, resource: Resource, signal?: AbortSignal): Promise<string> {
  const name = `${resource.plural}.${resource.group}`
  try {
    const definition = await client.get(definitions, { name }, { signal })
    const served = (definition.spec.versions ?? []).filter((version) => version.served !== false)
    if (!served.some((version) => version.name === resource.version)) {
      return `the CustomResourceDefinition ${name} serves ${served.map((version) => version.name).join(', ') || 'nothing'}, but ${resource.version} is needed: apply the newer one from manifests/crds`
    }
    return `the CustomResourceDefinition ${name} is installed but not served yet`
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof KubeError && error.code !== 'NotFound') {
      return `${apiVersionOf(resource)} ${resource.kind} is not served: is its CustomResourceDefinition installed?`
    }
    return `the CustomResourceDefinition ${name} is not installed: apply manifests/crds`
  }
}

/**
 * Whether pods can have resource claims that this program understands: clusters before 1.34 serve other versions, or none. Only a plain
 * no counts as such; what cannot be told now is for the caches to try again.
 */
export async function servesResourceClaims(
  { client, log }: Pick<StartupChecks, 'client' | 'log'>,
  signal: AbortSignal,
): Promise<boolean> {
  const asked: readonly Resource[] = [resourceClaims, deviceClasses, resourceSlices]
  for (const resource of asked) {
    try {
      await client.list(resource, { limit: 1, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!hasCode(error, 'NotFound', 'Forbidden')) continue
      const reason = hasCode(error, 'NotFound') ? `${apiVersionOf(resource)} is not served` : messageOf(error)
      log.info({ subject: subjectOf(resource), reason }, 'working without dynamic resource allocation')
      return false
    }
  }
  return true
}

function subjectOf(resource: Resource): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`
}
