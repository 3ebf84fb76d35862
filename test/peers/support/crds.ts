import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'

export const crdFolder = join(import.meta.dirname, '..', '..', '..', 'manifests', 'crds')

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Installs CRDs, by default every one of `manifests/crds`, and waits until the server serves all of them. */
export async function installCRDs(controlPlane: ControlPlane, texts?: readonly string[]): Promise<void> {
  const names: string[] = []
  for (const text of texts ?? (await shippedCRDs())) {
    for (const document of parseAllDocuments(text)) {
      const crd = document.toJS() as { metadata: { name: string } } | null
      if (crd === null) continue
      const { status, body } = await controlPlane.request('POST', crdPath, crd)
      if (status !== 201) throw new Error(`${crd.metadata.name}: ${JSON.stringify(body)}`)
      names.push(crd.metadata.name)
    }
  }
  for (const name of names) await eventually(`${name} is served`, () => isServed(controlPlane, name))
}

async function shippedCRDs(): Promise<readonly string[]> {
  const files = (await readdir(crdFolder)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  return Promise.all(files.sort().map((file) => readFile(join(crdFolder, file), 'utf8')))
}

/** A server says that a CRD is established a moment before it answers requests for its objects. */
async function isServed(controlPlane: ControlPlane, name: string): Promise<boolean> {
  const { body } = await controlPlane.request('GET', `${crdPath}/${name}`)
  const crd = body as { spec: { group: string; names: { plural: string }; versions: { name: string }[] } }
  const path = `/apis/${crd.spec.group}/${crd.spec.versions[0]?.name ?? ''}/${crd.spec.names.plural}`
  return (await controlPlane.request('GET', path)).status === 200
}
