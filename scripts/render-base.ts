/**
 * Renders the Kustomize base from the Helm chart, so that both say the same. Needs helm: that of the PATH, or the one of the peer
 * tests. `--check` writes nothing and exits 1 when the base is not as it would be rendered.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, stringify } from 'yaml'
import { helmProgram } from '../test/peers/support/helm.ts'
import { runOrThrow } from '../test/peers/support/run.ts'

const root = join(import.meta.dirname, '..')
export const basePath = join(root, 'manifests/base/joinery.yaml')

/** What Helm writes about itself, which is not true of a base. */
const helmLabels = ['helm.sh/chart', 'app.kubernetes.io/managed-by']

export async function renderBase(): Promise<string> {
  const chart = join(root, 'manifests/charts/joinery')
  // Whoever uses the base sets the cluster's name by a patch, see docs/packaging.md.
  const settings = ['--namespace', 'kube-system', '--set', 'settings.clusterName=set-me']
  const rendered = await runOrThrow(await helmProgram(), ['template', 'joinery', chart, ...settings])
  const documents = parseAllDocuments(rendered).map((document): unknown => document.toJS())
  const texts = documents
    .filter((object) => object !== null)
    .map((object) => stringify(withoutHelmLabels(object), { lineWidth: 0, aliasDuplicateObjects: false }))
  return `# Rendered from manifests/charts/joinery by \`node scripts/render-base.ts\`. Do not edit.\n${texts.join('---\n')}`
}

function withoutHelmLabels(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHelmLabels)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !helmLabels.includes(key))
      .map(([key, inner]) => [key, withoutHelmLabels(inner)]),
  )
}

if (process.argv[1] === import.meta.filename) {
  const wanted = await renderBase()
  if (!process.argv.includes('--check')) writeFileSync(basePath, wanted)
  else if (readFileSync(basePath, 'utf8') !== wanted) {
    console.error('stale: manifests/base/joinery.yaml')
    process.exitCode = 1
  }
}
