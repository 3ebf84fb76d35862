import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import type { ControlPlane } from './control-plane.ts'

export const basePath = join(import.meta.dirname, '..', '..', '..', 'manifests', 'base', 'joinery.yaml')
const rights = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']

/** The service account of the shipped Deployment: what it may do is what the shipped RBAC says. */
export const operatorAccount = { namespace: 'kube-system', name: 'joinery' }

/** Applies the accounts and rights of the shipped base as they are. */
export async function installRBAC(controlPlane: ControlPlane): Promise<void> {
  const objects = parseAllDocuments(await readFile(basePath, 'utf8'))
    .map((document) => document.toJS() as { kind: string } | null)
    .filter((object) => object !== null && rights.includes(object.kind))
  const input = objects.map((object) => stringify(object)).join('---\n')
  const applied = await controlPlane.kubectl(['apply', '-f', '-'], { input })
  if (applied.code !== 0) throw new Error(applied.stderr)
}
