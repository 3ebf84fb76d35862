/**
 * Makes `dist/`, the program in plain JavaScript, which the published package and the image carry instead of the sources: file by file,
 * so that stack traces and files read beside a module stay where they are. Beside it stands the bill of materials. `--out FOLDER`
 * writes elsewhere.
 */
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { checkoutCommit } from '../src/cli/checkout-commit.ts'
import { billOfMaterials, type LockFile } from './sbom.ts'

const root = join(import.meta.dirname, '..')
const at = process.argv.indexOf('--out')
const dist = at === -1 ? join(root, 'dist') : String(process.argv[at + 1])
const folders = ['src', 'webhooks']

/** Every module stays a file of its own: imports are only told the new ending. */
const newEndings: Plugin = {
  name: 'new-endings',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.{1,2}\// }, ({ path, kind }) =>
      kind === 'entry-point' ? undefined : { path: path.replace(/\.ts$/, '.js'), external: true },
    ),
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
}

await rm(dist, { recursive: true, force: true })
const files = (await Promise.all(folders.map(filesIn))).flat()
const modules = files.filter((file) => extname(file) === '.ts')
await build({
  entryPoints: modules,
  outdir: dist,
  outbase: root,
  bundle: true,
  packages: 'external',
  plugins: [newEndings],
  format: 'esm',
  platform: 'node',
  // The oldest Node that package.json allows.
  target: 'node22.19',
  sourcemap: false,
  legalComments: 'none',
  logLevel: 'warning',
})
const others = files.filter((file) => extname(file) !== '.ts')
for (const file of others) await cp(file, join(dist, file.slice(root.length + 1)))
const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as LockFile
// Scanners find it in an image by this ending.
await writeFile(join(dist, 'sbom.cdx.json'), await billOfMaterials(lock))
// What `joinery version` says; an image is told it instead (JOINERY_COMMIT), for it is built without git's folder.
const commit = checkoutCommit(root)
if (commit !== '') await writeFile(join(dist, 'commit'), `${commit}\n`)
console.log(`${modules.length} modules and ${others.length} other files in ${dist}`)
