/**
 * Makes from `schemas/` everything that follows from it: types, validators, CRDs, reference pages.
 * `--check` writes nothing, names the files that are not as they would be generated, and exits 1 if there are any.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { crdOf } from './generate/crds.ts'
import { textAt } from './generate/json.ts'
import { jsonSchemasOf } from './generate/json-schemas.ts'
import { referenceIndex, referenceOf } from './generate/reference.ts'
import { type KindSchema, readKinds } from './generate/schemas.ts'
import { typesOf } from './generate/types.ts'
import { validatorsModule } from './generate/validators.ts'

const root = join(import.meta.dirname, '..')
const banner = '// Generated from schemas/ by `npm run generate`. Do not edit.'
/** Where everything is generated: what lies there and is not generated any more is removed. */
const folders = [
  'src/api/generated',
  'manifests/crds',
  'manifests/charts/joinery-crd/files',
  ...readKinds(join(root, 'schemas'))
    .filter(({ crd }) => crd !== undefined)
    .map(({ group }) => `manifests/schemas/${group}`),
  'docs/reference',
].filter((folder, index, all) => all.indexOf(folder) === index)

async function generate(): Promise<Map<string, string>> {
  const kinds = readKinds(join(root, 'schemas'))
  const files = new Map<string, string>()
  for (const kind of kinds) {
    files.set(`src/api/generated/${kind.fileName}.gen.ts`, await typesOf(kind, banner))
    files.set(`docs/reference/${kind.fileName}.md`, referenceOf(kind))
    const crd = crdOf(kind)
    if (crd === undefined || kind.crd === undefined) continue
    const yaml = stringify(crd, { lineWidth: 0, aliasDuplicateObjects: false })
    const name = `${kind.group}_${textAt(kind.crd, 'plural')}.yaml`
    files.set(`manifests/crds/${name}`, `# ${banner.slice(3)}\n${yaml}`)
    files.set(`manifests/charts/joinery-crd/files/${name}`, `# ${banner.slice(3)}\n${yaml}`)
    for (const [path, schema] of jsonSchemasOf(crd)) {
      files.set(`manifests/schemas/${path}`, `${JSON.stringify(schema, null, 2)}\n`)
    }
  }
  files.set('manifests/crds/kustomization.yaml', kustomizationOf(kinds))
  files.set('docs/reference/README.md', referenceIndex(kinds))
  files.set('src/api/generated/validators.gen.ts', validatorsModule(kinds, banner))
  files.set('src/api/generated/crds.gen.ts', crdsModule(kinds))
  return files
}

function kustomizationOf(kinds: readonly KindSchema[]): string {
  const names = kinds.flatMap(({ crd, group }) => (crd === undefined ? [] : [`${group}_${textAt(crd, 'plural')}.yaml`]))
  const body = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources: names.toSorted() }
  return `# ${banner.slice(3)}\n${stringify(body)}`
}

function crdsModule(kinds: readonly KindSchema[]): string {
  const crds = kinds.map(crdOf).filter((crd) => crd !== undefined)
  return (
    `${banner}\nimport type { CustomResourceDefinition } from '../custom-resource-definition.ts'\n\n` +
    `/** The CustomResourceDefinitions of manifests/crds, for processes that cannot read files. */\n` +
    `export const customResourceDefinitions: readonly CustomResourceDefinition[] = ${JSON.stringify(crds, null, 1)}\n`
  )
}

function existingFiles(): string[] {
  return folders.flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return undefined
  }
}

for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
const wanted = await generate()
const stale = [...wanted].filter(([path, content]) => readIfPresent(path) !== content).map(([path]) => path)
const leftOver = existingFiles().filter((path) => !wanted.has(path))

if (process.argv.includes('--check')) {
  for (const path of [...stale, ...leftOver].sort()) console.error(`stale: ${path}`)
  process.exitCode = stale.length + leftOver.length === 0 ? 0 : 1
} else {
  for (const path of stale) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), wanted.get(path) ?? '')
  }
  for (const path of leftOver) rmSync(join(root, path))
  console.log(stale.length + leftOver.length === 0 ? 'up to date' : [...stale, ...leftOver].sort().join('\n'))
}
