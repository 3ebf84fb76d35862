import { createHash } from 'node:crypto'
import type { KubeError } from '../../../kube/errors.ts'
import { objectAt, textAt, withAt } from '../json.ts'
import { asStored, type IncomingObject, type StoredObject, storeKeyOf } from '../object.ts'
import type { ApiContext } from './context.ts'

/** Of what somebody wants to create. */
export type Refusal = (because: string) => KubeError

const table = '/serviceaccounts'
const defaultName = 'default'

/** Every namespace has one account that pods run as unless they name another one. It is there as soon as the namespace is. */
export function createDefaultAccount(context: ApiContext, namespace: StoredObject): void {
  const key = storeKeyOf(namespace.metadata.name, defaultName)
  if (context.serviceAccounts !== 'admitted' || context.store.get(table, key) !== undefined) return
  const account = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name: defaultName,
      namespace: namespace.metadata.name,
      uid: uidOf(namespace),
      creationTimestamp: namespace.metadata.creationTimestamp,
    },
  }
  context.store.put(table, key, asStored(account))
}

export function isDefaultAccount(account: StoredObject): boolean {
  return account.metadata.name === defaultName
}

/** From that of the namespace, so that the run's randomness does not depend on accounts. */
function uidOf(namespace: StoredObject): string {
  const hex = createHash('sha256').update(`${namespace.metadata.uid}/${defaultName}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A pod with its account, which has to exist. No token comes with it: pods here run no programs. */
export function withAccount(context: ApiContext, refusal: Refusal, pod: IncomingObject): IncomingObject {
  if (context.serviceAccounts !== 'admitted') return pod
  const named = textAt(pod, 'spec', 'serviceAccountName') ?? ''
  const name = named === '' ? defaultName : named
  const namespace = textAt(pod, 'metadata', 'namespace') ?? ''
  if (context.store.get(table, storeKeyOf(namespace, name)) === undefined) {
    throw refusal(
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
    )
  }
  if (named !== '') return pod
  return withAt(pod, ['spec'], { ...objectAt(pod, 'spec'), serviceAccountName: name, serviceAccount: name })
}
