import type { KubeObject } from '../api/kubernetes.ts'
import { hasCode } from '../kube/errors.ts'
import type { KubeClient } from '../kube/port.ts'
import type { Resource } from '../kube/resource.ts'
import { at } from './apiserver/json.ts'

interface Definition extends KubeObject {
  readonly spec?: unknown
}

const definitions: Resource<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
}

/** By it a saved cluster tells that nobody else wrote a definition; kubectl itself calls its updates `kubectl-edit`, `kubectl-create` and the like. */
const fieldManager = 'kubectl'

/**
 * Installs a custom resource definition. One that a saved cluster has may be that of an earlier version, and is brought up to date, unless
 * somebody else has written it, as by applying Karpenter's.
 */
export async function installDefinition(client: KubeClient, definition: Definition): Promise<void> {
  try {
    await client.create(definitions, definition, { fieldManager })
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error
    const stored = await client.get(definitions, { name: definition.metadata.name })
    if (!isOurs(stored)) return
    await client.update(definitions, { ...stored, spec: definition.spec }, { fieldManager })
  }
}

function isOurs({ metadata }: Definition): boolean {
  const writers = metadata.managedFields?.filter((entry) => at(entry, 'fieldsV1', 'f:spec') !== undefined) ?? []
  return writers.every((entry) => at(entry, 'manager') === fieldManager && at(entry, 'operation') === 'Update')
}
