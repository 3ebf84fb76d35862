import type { KubeClient } from '../../kube/port.ts'
import type { Resource } from '../../kube/resource.ts'
import { type Reference, referenceText, type Steered, steeredKinds } from './reference.ts'
import type { Request } from './requests.ts'

/** What was written, or would have been. */
export interface WrittenAnnotation {
  readonly object: string
  readonly annotation: string
  readonly value: string | null
  readonly previous: string | null
  /** Whether anything differs from before. */
  readonly changed: boolean
  readonly dryRun: boolean
  /** The same with kubectl. */
  readonly kubectl: string
  readonly message: string
}

/** Sends the patch; a dry run goes to the server too, so that it says what it would refuse. */
export async function annotate(
  client: KubeClient,
  steered: Steered,
  request: Request,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<WrittenAnnotation> {
  const { name, value, message } = request
  const previous = steered.object.metadata.annotations?.[name] ?? null
  const changed = previous !== value
  if (changed) {
    const resource: Resource = steeredKinds[steered.kind]
    const body = { metadata: { annotations: { [name]: value } } }
    await client.patch(resource, { name: steered.name }, { kind: 'merge', body }, { dryRun, signal })
  }
  const kubectl = kubectlText(steered, request)
  return { object: referenceText(steered), annotation: name, value, previous, changed, dryRun, kubectl, message }
}

/** The kubectl command that writes the same. */
export function kubectlText({ kind, name }: Reference, annotation: Pick<Request, 'name' | 'value'>): string {
  const { plural, group } = steeredKinds[kind]
  const object = `${plural}.${group} ${shellWord(name)}`
  return annotation.value === null
    ? `kubectl annotate ${object} ${annotation.name}-`
    : `kubectl annotate --overwrite ${object} ${annotation.name}=${shellWord(annotation.value)}`
}

function shellWord(text: string): string {
  return /^[A-Za-z0-9_.:/+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
