import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const lines = readFileSync(join(root, 'Containerfile'), 'utf8').split('\n')
/** What it copies from the checkout, not from another stage. */
const sources = lines
  .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
  .flatMap((line) => line.split(' ').slice(1, -1))

test('the image copies what exists, runs as nobody and starts the command', () => {
  expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([])
  expect(sources).toEqual(expect.arrayContaining(['bin', 'src', 'webhooks', 'manifests']))
  expect(lines).toContain('USER 65532:65532')
  const entry = lines.findLast((line) => line.startsWith('ENTRYPOINT')) ?? ''
  expect(existsSync(join(root, (/\/app\/([^"]+)/.exec(entry) ?? [])[1] ?? 'missing'))).toBe(true)
})

test('what a builder is sent is what the image copies', () => {
  const sent = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  expect(sent.toSorted()).toEqual(['*', ...new Set(sources.map((path) => `!${path}`))].toSorted())
})
