import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'joinery-image-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Stage {
  readonly name: string
  readonly steps: readonly (readonly string[])[]
}

/** `FROM … AS name` and what follows, line by line. */
function stagesOf(text: string): Stage[] {
  const stages: { name: string; steps: string[][] }[] = []
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const words = line.split(' ')
    if (words[0] === 'FROM') stages.push({ name: words[3] ?? 'image', steps: [] })
    else stages.at(-1)?.steps.push(words)
  }
  return stages
}

/** Does what a builder would do with COPY and RUN, in a folder instead of an image; packages are copied from those installed here. */
function perform({ name, steps }: Stage): string {
  const app = join(folder, name, 'app')
  mkdirSync(app, { recursive: true })
  for (const [instruction, ...words] of steps) {
    if (instruction === 'COPY') copy(words, app)
    else if (instruction === 'RUN' && words[1] === 'ci') install(words, app)
    else if (instruction === 'RUN') run(words[0] ?? '', words.slice(1), app)
  }
  return app
}

/** What `npm ci` would put there, by the lock file that has been copied: everything, or without what `--omit` names. */
function install(words: readonly string[], app: string): void {
  const omitted = words.flatMap((word) => (word.startsWith('--omit=') ? [word.slice('--omit='.length)] : []))
  if (omitted.length === 0) {
    symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'))
    return
  }
  expect(omitted.sort()).toEqual(['dev', 'optional'])
  const { packages } = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
  }
  for (const [path, { dev, optional, devOptional }] of Object.entries(packages)) {
    if (path === '' || dev === true || optional === true || devOptional === true) continue
    // Packages inside of a package have rows of their own.
    const filter = (source: string): boolean => !source.slice(join(root, path).length).startsWith('/node_modules')
    cpSync(join(root, path), join(app, path), { recursive: true, verbatimSymlinks: true, filter })
  }
}

function copy(words: readonly string[], app: string): void {
  const [first = '', ...rest] = words
  const from = first.startsWith('--from=') ? first.slice('--from='.length) : undefined
  const paths = from === undefined ? words : rest
  const target = paths.at(-1) ?? '.'
  for (const path of paths.slice(0, -1)) {
    const source = from === undefined ? join(root, path) : join(folder, from, path)
    const destination = target.endsWith('/') ? join(app, target, path) : join(app, target)
    mkdirSync(dirname(destination), { recursive: true })
    cpSync(source, destination, { recursive: true, verbatimSymlinks: true })
  }
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}

test('the steps of the Containerfile make a program that starts, from what they copy and nothing else', {
  timeout: 120_000,
}, () => {
  const stages = stagesOf(readFileSync(join(root, 'Containerfile'), 'utf8'))
  expect(stages.map(({ name }) => name)).toEqual(['build', 'dependencies', 'app', 'ci', 'image'])
  // That of pipelines puts the command where this machine has its own.
  const performed = stages.filter(({ name }) => name !== 'ci').map(perform)
  const app = performed.at(-1) ?? ''
  expect(readdirSync(app).sort()).toEqual(
    ['LICENSE', 'bin', 'dist', 'manifests', 'node_modules', 'package.json', 'schemas'].sort(),
  )
  const entry = stages.at(-1)?.steps.find(([instruction]) => instruction === 'ENTRYPOINT')
  const script = JSON.parse(entry?.slice(1).join(' ') ?? '[]') as string[]
  const joinery = (...args: string[]): string =>
    run(process.execPath, [join(folder, 'image', script[1] ?? ''), ...args], app)
  expect(joinery('version')).toMatch(/^joinery \d/)
  expect(joinery('controller', '--help')).toContain('--cluster-name')
  expect(joinery('webhook', '--help')).toContain('--certificate-secret')
  expect(joinery('validate', 'manifests/examples')).toContain(' 0 refused')
  expect(readdirSync(join(app, 'node_modules'))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(?:typescript|vitest|esbuild|oxlint|node-linux-.*)$/)]),
  )
})

/** Every package below a `node_modules`, as its own package.json tells. */
function installedPackages(modules: string): { readonly name: string; readonly version: string }[] {
  return readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|node_modules\/)(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(modules, path), 'utf8')) as { name: string; version: string })
}

interface BillOfMaterials {
  readonly components: readonly {
    readonly group?: string
    readonly name: string
    readonly version: string
    readonly hashes?: readonly unknown[]
    readonly licenses?: readonly unknown[]
  }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

test('the bill of materials lists the packages that the image holds, all of them reached from the program, and they stay few', () => {
  const app = join(folder, 'image/app')
  const text = readFileSync(join(app, 'dist/sbom.cdx.json'), 'utf8')
  const { components, dependencies } = JSON.parse(text) as BillOfMaterials
  const installed = installedPackages(join(app, 'node_modules')).map(({ name, version }) => `${name}@${version}`)
  const listed = components.map(
    ({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`,
  )
  expect(listed.sort()).toEqual([...new Set(installed)].sort())
  expect(components.filter(({ hashes, licenses }) => hashes?.length !== 1 || licenses?.length !== 1)).toEqual([])

  const { name, version } = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as Record<string, string>
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn ?? []]))
  const reached = new Set([`pkg:npm/${name}@${version}`])
  for (const ref of reached) for (const needed of needs.get(ref) ?? []) reached.add(needed)
  expect(reached.size).toBe(components.length + 1)
  // Each is one more that somebody has to trust: whoever adds more raises this and says why.
  expect(components.length).toBeLessThanOrEqual(190)
})

test('what the program imports is among the packages that the image has', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const dist = join(folder, 'build/app/dist')
  const imported = new Set<string>()
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.js')) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:^|\n)(?:import|export)[^'"\n]*?(?:from )?"([^".][^"]*)"/g))
      imported.add(name)
  }
  const packages = [...imported]
    .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    )
  expect(packages.length).toBeGreaterThan(10)
  expect([...new Set(packages)].filter((name) => dependencies[name] === undefined)).toEqual([])
})
