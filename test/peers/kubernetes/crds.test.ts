import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { crdFolder } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

interface Condition {
  readonly type: string
  readonly status: string
  readonly message: string
}

const files = readdirSync(crdFolder)
  .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  .sort()

await describeWithPeers('a real API server takes the generated CRDs', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()

  test.each(files)('%s is structural, within the cost limits of its rules, and established', async (file) => {
    const crd = parse(readFileSync(join(crdFolder, file), 'utf8')) as { metadata: { name: string } }
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    // Strict: a field that this server does not know is a mistake of ours.
    const created = await controlPlane().request('POST', `${crds}?fieldValidation=Strict`, crd)
    expect(created.status, messageOf(created.body)).toBe(201)
    expect(created.headers['warning']).toBeUndefined()
    const conditions = async (): Promise<readonly Condition[]> => {
      const { body } = await controlPlane().request('GET', `${crds}/${crd.metadata.name}`)
      return (body as { status?: { conditions?: Condition[] } }).status?.conditions ?? []
    }
    const isTrue = async (type: string): Promise<boolean> =>
      (await conditions()).some((condition) => condition.type === type && condition.status === 'True')
    await expect.poll(() => isTrue('Established'), { timeout: 30_000 }).toBe(true)
    const complaints = (await conditions()).filter(({ type, status }) => isComplaint(type, status))
    expect(complaints).toEqual([])
  })
})

function isComplaint(type: string, status: string): boolean {
  if (type === 'NamesAccepted' || type === 'Established') return status !== 'True'
  // A server may come to know further complaints; all of them are worth a look.
  return status === 'True'
}

function messageOf(body: unknown): string {
  return String((body as { message?: unknown } | undefined)?.message)
}
