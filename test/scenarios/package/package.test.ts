import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
let folder = ''
let installed = ''

function run(
  program: string,
  args: readonly string[],
  cwd: string,
): { readonly code: number | null; readonly text: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  return { code: status, text: `${stdout}${stderr}` }
}

/** Another Node than the one that runs the tests may be named, such as the oldest that is supported. */
const node = process.env['JOINERY_TEST_NODE'] ?? process.execPath
const joinery = (...args: string[]) => run(node, [join(installed, 'bin/joinery.js'), ...args], installed)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-package-'))
  const staging = join(folder, 'staging')
  for (const part of ['package.json', 'LICENSE', 'README.md', 'bin', 'manifests', 'schemas'])
    cpSync(join(root, part), join(staging, part), { recursive: true })
  const built = run(process.execPath, [join(root, 'scripts/build.ts'), '--out', join(staging, 'dist')], root)
  if (built.code !== 0) throw new Error(built.text)
  const packed = run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], staging)
  if (packed.code !== 0) throw new Error(packed.text)
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  const unpacked = run('tar', ['xzf', join(folder, archive), '-C', folder], folder)
  if (unpacked.code !== 0) throw new Error(unpacked.text)
  installed = join(folder, 'package')
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'))
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package carries the built program and no sources', () => {
  expect(existsSync(join(installed, 'dist/src/cli/main.js'))).toBe(true)
  expect(existsSync(join(installed, 'dist/sbom.cdx.json'))).toBe(true)
  expect(readdirSync(installed).filter((name) => ['src', 'webhooks', 'test', 'scripts'].includes(name))).toEqual([])
})

test('built again it is the same, file by file', () => {
  const again = join(folder, 'again')
  expect(run(process.execPath, [join(root, 'scripts/build.ts'), '--out', again], root)).toMatchObject({ code: 0 })
  expect(run('diff', ['-r', join(folder, 'staging/dist'), again], folder)).toEqual({ code: 0, text: '' })
})

test('it says its version', () => {
  const { code, text } = joinery('version')
  expect(text).toMatch(/^joinery \d+\.\d+\.\d+/)
  expect(text).not.toContain('joinery 0.0.0')
  expect(code).toBe(0)
  const ofCheckout = run(process.execPath, [join(root, 'bin/joinery.js'), 'version'], root).text
  expect(text.split(' (')[0]).toBe(ofCheckout.split(' (')[0])
})

const slowly = { timeout: 120_000 }

test('it judges manifests, and schedules pods on the built-in instance types', slowly, () => {
  expect(joinery('validate', 'manifests/examples')).toMatchObject({ code: 0 })
  const { code, text } = joinery('simulate', '--expand', '-f', 'manifests/examples')
  expect(text).toMatch(/[1-9]\d* new node\(s\)/)
  expect(code).toBe(0)
})

test('every command loads', slowly, () => {
  for (const command of [
    'up',
    'demo',
    'convert',
    'hash',
    'snapshot',
    'plan',
    'explain',
    'rollout',
    'top',
    'controller',
    'webhook',
  ]) {
    const { code, text } = joinery(command, '--help')
    expect({ command, code }, text).toEqual({ command, code: 0 })
  }
})
