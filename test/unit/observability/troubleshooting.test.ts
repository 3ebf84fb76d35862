import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeHelp } from '../../../src/cli/explain/help.ts'

const page = readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8')

/** States that pass by themselves or show damage by hand: the command's own help says all there is to say. */
const unlisted = new Set([
  'InQueue',
  'NotManaged',
  'NoNode',
  'NoNodePoolLabel',
  'NodePoolNotFound',
  'BufferPods',
  'InstanceTypeNotFound',
  'NoCapacityTypeLabel',
  'NoZoneLabel',
  'MinValues',
])

test('the page lists every code that a person can do something about', () => {
  const missing = Object.keys(nodeHelp).filter((code) => !unlisted.has(code) && !page.includes(`\`${code}\``))
  expect(missing).toEqual([])
})

test('every code has help of its own', () => {
  for (const help of Object.values(nodeHelp)) expect(help).toMatch(/\w{3}/)
})
