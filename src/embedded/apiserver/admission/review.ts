import type { AdmissionAttempt } from '../api/context.ts'
import type { JsonObject } from '../json.ts'

/** The `request` of an AdmissionReview, which is also what expressions see of a request. */
export function reviewRequest(attempt: AdmissionAttempt, uid: string): JsonObject {
  const { definition, subresource, operation, target, object, old, request } = attempt
  const { group, version, kind, plural } = definition
  const own = { group, version, kind }
  const resource = { group, version, resource: plural }
  return {
    uid,
    kind: own,
    resource,
    ...(subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource }),
    requestKind: own,
    requestResource: resource,
    name: target.name,
    ...(target.namespace === undefined ? {} : { namespace: target.namespace }),
    operation,
    userInfo: { username: request.caller.user, groups: request.caller.groups },
    object: object ?? null,
    oldObject: old ?? null,
    dryRun: request.dryRun,
    options: { kind: optionKinds[operation], apiVersion: 'meta.k8s.io/v1' },
  }
}

const optionKinds: Record<AdmissionAttempt['operation'], string> = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  CONNECT: 'ConnectOptions',
}
