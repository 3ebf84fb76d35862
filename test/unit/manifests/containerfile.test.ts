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

interface Locked {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

/** Those of today and a few more: each is code that runs with the rights of the controller. */
const packagesMax = 190

test('every package of the image has its digest, needs no script at its installation, and there are not many', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  const shipped = Object.entries(packages).filter(
    ([path, { dev, optional }]) => path !== '' && dev !== true && optional !== true,
  )
  expect(shipped.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([])
  expect(shipped.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([])
  expect(shipped.length).toBeGreaterThan(100)
  expect(shipped.length).toBeLessThanOrEqual(packagesMax)
  const installs = lines.filter((each) => /\bnpm (ci|i|install)\b/.test(each))
  expect(installs).not.toEqual([])
  expect(installs.filter((line) => !line.includes('npm ci --ignore-scripts'))).toEqual([])
})
