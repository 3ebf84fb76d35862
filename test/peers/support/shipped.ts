import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import type { ControlPlane } from './control-plane.ts'

const manifests = join(import.meta.dirname, '..', '..', '..', 'manifests')
export const basePath = join(manifests, 'base', 'joinery.yaml')
const rights = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']
const webhooks = ['Service', 'Secret', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']
const policies = [
  join(manifests, 'components', 'policies', 'policies.yaml'),
  join(manifests, 'components', 'deletion-guard', 'deletion-guard.yaml'),
]

/** The service accounts of the shipped Deployments: what they may do is what the shipped RBAC says. */
export const operatorAccount = { namespace: 'kube-system', name: 'joinery' }
export const webhookAccount = { namespace: 'kube-system', name: 'joinery-webhook' }

/** Applies the accounts and rights of the shipped base as they are. */
export async function installRBAC(controlPlane: ControlPlane): Promise<void> {
  await apply(controlPlane, await partOfBase(rights))
}

/** Applies the webhook's configurations and Service, and all shipped policies, as they are. */
export async function installAdmission(controlPlane: ControlPlane): Promise<void> {
  await installWebhook(controlPlane)
  await installPolicies(controlPlane)
}

/** Applies the webhook's configurations, Service and Secret, as they are. */
export async function installWebhook(controlPlane: ControlPlane): Promise<void> {
  await apply(controlPlane, await partOfBase(webhooks))
}

/** Applies all shipped policies, as they are. */
export async function installPolicies(controlPlane: ControlPlane): Promise<void> {
  for (const path of policies) await apply(controlPlane, await readFile(path, 'utf8'))
}

async function partOfBase(kinds: readonly string[]): Promise<string> {
  return parseAllDocuments(await readFile(basePath, 'utf8'))
    .map((document) => document.toJS() as { kind: string } | null)
    .filter((object) => object !== null && kinds.includes(object.kind))
    .map((object) => stringify(object))
    .join('---\n')
}

async function apply(controlPlane: ControlPlane, input: string): Promise<void> {
  const applied = await controlPlane.kubectl(['apply', '-f', '-'], { input })
  if (applied.code !== 0) throw new Error(applied.stderr)
}
