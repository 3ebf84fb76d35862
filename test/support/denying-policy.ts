import type { KubeObject } from '../../src/api/kubernetes.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import type { Resource } from '../../src/kube/resource.ts'

interface Policy extends KubeObject {
  readonly spec: object
}

function kindOf(kind: string, plural: string): Resource<Policy> {
  return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false }
}

const policies = kindOf('ValidatingAdmissionPolicy', 'validatingadmissionpolicies')
const bindings = kindOf('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings')

interface Rule {
  readonly apiGroup: string
  readonly resource: string
  readonly operation: 'CREATE' | 'UPDATE'
  /** In CEL. Default: always. */
  readonly when?: string
  readonly message: string
}

/** Somebody's policy, by which such writes are denied. Resolves with what takes it away. */
export async function denied(
  client: KubeClient,
  { apiGroup, resource, operation, when = 'true', message }: Rule,
): Promise<() => Promise<void>> {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const metadata = { name: 'deny' }
  const resourceRules = [{ apiGroups: [apiGroup], apiVersions: ['v1'], operations: [operation], resources: [resource] }]
  await client.create(policies, {
    apiVersion,
    kind: policies.kind,
    metadata,
    spec: { matchConstraints: { resourceRules }, validations: [{ expression: `!(${when})`, message }] },
  })
  await client.create(bindings, {
    apiVersion,
    kind: bindings.kind,
    metadata,
    spec: { policyName: 'deny', validationActions: ['Deny'] },
  })
  return () => client.delete(bindings, { name: 'deny' })
}
