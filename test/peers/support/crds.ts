import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { expect } from 'vitest'
import type { ControlPlane } from './control-plane.ts'

export const crdFolder = join(import.meta.dirname, '..', '..', '..', 'manifests', 'crds')

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Installs every CRD of `manifests/crds` and waits until the server serves all of them. */
export async function installCRDs(controlPlane: ControlPlane): Promise<void> {
  const names: string[] = []
  for (const file of (await readdir(crdFolder)).filter((name) => name.endsWith('.yaml')).sort()) {
    for (const document of parseAllDocuments(await readFile(join(crdFolder, file), 'utf8'))) {
      const crd = document.toJS() as { metadata: { name: string } } | null
      if (crd === null) continue
      const { status, body } = await controlPlane.request('POST', crdPath, crd)
      if (status !== 201) throw new Error(`${file}: ${JSON.stringify(body)}`)
      names.push(crd.metadata.name)
    }
  }
  for (const name of names) await expect.poll(() => isEstablished(controlPlane, name), { timeout: 60_000 }).toBe(true)
}

async function isEstablished(controlPlane: ControlPlane, name: string): Promise<boolean> {
  const { body } = await controlPlane.request('GET', `${crdPath}/${name}`)
  const { status } = body as { status?: { conditions?: { type: string; status: string }[] } }
  return (
    status?.conditions?.some((condition) => condition.type === 'Established' && condition.status === 'True') ?? false
  )
}
