import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../support/command-run.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const files = ['.ci', 'bin', 'docs', 'manifests', 'schemas', 'scripts', 'src', 'test', 'webhooks'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true }).map(
    ({ parentPath, name }) => `${join(parentPath, name).slice(root.length + 1)}`,
  ),
)
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** Of a page, without its fenced blocks: what prose names. */
function proseOf(page: string): string {
  return read(page).replace(/^```.*?^```/gms, '')
}

/** As GitHub makes them of headings. */
function anchorsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

describe.each(pages)('%s', (page) => {
  test('links to pages and headings that are there', () => {
    const targets = [...proseOf(page).matchAll(/\]\((?!https?:)([^)\s]*)\)/g)].map(([, target = '']) => target)
    const broken = targets.filter((target) => {
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(root, file))) return true
      return anchor !== undefined && !anchorsOf(file).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('names sources that are there', () => {
    const named = [...proseOf(page).matchAll(/`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|js|py))`/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
  })

  test('names folders that are there', () => {
    const folders = /`((?:\.ci|bin|docs|manifests|schemas|scripts|src|test|webhooks)(?:\/[\w.-]+)*\/?)`/g
    const named = [...proseOf(page).matchAll(folders)].map(([, name = '']) => name)
    expect(named.filter((name) => !existsSync(join(root, name)))).toEqual([])
  })

  test('runs scripts that are there', () => {
    const run = [...read(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name)
    expect(run.filter((name) => !Object.hasOwn(scripts, name))).toEqual([])
  })
})

test('what README.md has commands read is there, and such that they can read it', async () => {
  const lines = [...read('README.md').matchAll(/^npx joinery (\w+) (?:-f )?(manifests\S*)/gm)]
  expect(new Set(lines.map(([, command]) => command))).toEqual(new Set(['validate', 'simulate', 'hash', 'plan']))
  for (const [line, , folder = ''] of lines) {
    const { code, stderr } = await runCommand(['validate', folder], { cwd: root })
    expect([line, stderr, code]).toEqual([line, '', 0])
  }
})
