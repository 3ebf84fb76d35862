import type { KubeObject } from '../../api/kubernetes.ts'
import { backOff, done, type ReconcileResult } from '../../kube/controller.ts'
import { hasCode, KubeError } from '../../kube/errors.ts'
import type { EmbeddedDeps } from '../deps.ts'
import type { Told } from '../events/event-log.ts'

export interface WorkloadDeps extends EmbeddedDeps {
  readonly tell: (told: Told) => void
}

/**
 * What comes of a pod that could not be made: nothing where its namespace is going or the owner has just gone. What the namespace does
 * not allow, or a webhook, is told on the owner, and tried again. Throws what is no refusal.
 */
export function afterRefusal(
  { tell }: Pick<WorkloadDeps, 'tell'>,
  owner: KubeObject,
  {
    error,
    component,
    tellAs = ({ message }) => `Error creating: ${message}`,
  }: {
    readonly error: unknown
    readonly component: string
    readonly tellAs?: (error: KubeError) => string
  },
): ReconcileResult {
  if (!hasCode(error, 'Forbidden', 'NotFound', 'Invalid', 'InternalError')) throw error
  if (!(error instanceof KubeError) || error.code === 'NotFound' || isTerminating(error)) return done
  tell({ about: owner, type: 'Warning', reason: 'FailedCreate', message: tellAs(error), by: { component } })
  return backOff
}

/** Of a namespace that is going. */
export function isTerminating({ details }: KubeError): boolean {
  return details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true
}
