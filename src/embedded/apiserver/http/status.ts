import { messageOf } from '../../../api/error-text.ts'
import { KubeError } from '../../../kube/errors.ts'

/** `metav1.Status` of a failure; anything that is no KubeError is the server's own fault. */
export function failureStatus(error: unknown): { readonly code: number; readonly body: object } {
  const known =
    error instanceof KubeError
      ? error
      : new KubeError('InternalError', 500, `Internal error occurred: ${messageOf(error)}`)
  const code = known.status === 0 ? 500 : known.status
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: known.message,
    ...(known.code === 'Unknown' ? {} : { reason: known.code }),
    ...(known.details === undefined ? {} : { details: known.details }),
    code,
  }
  return { code, body }
}

/** What subresources answer that do something and return nothing. */
export const createdStatus = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const

export function successStatus(details: object): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}
