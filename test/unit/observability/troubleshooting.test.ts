import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { nodeHelp } from '../../../src/cli/explain/help.ts'
import { podCodes } from '../../../src/cli/explain/pod.ts'
import type { RefusalReason } from '../../../src/scheduling/placement.ts'
import type { PodRejectionCause } from '../../../src/scheduling/pod-validation.ts'

const page = readFileSync(new URL('../../../docs/troubleshooting.md', import.meta.url), 'utf8')

/** The compiler sees to it that none is left out. */
const refusals = {
  taints: true,
  requirements: true,
  volumeRequirements: true,
  exclusiveVolumes: true,
  devices: true,
  topology: true,
  topologyRequirements: true,
  nodeLimit: true,
  limits: true,
  instanceTypes: true,
  minValues: true,
  reserved: true,
} as const satisfies Record<RefusalReason['kind'], true>
const rejections = {
  keepsAway: true,
  requirement: true,
  matchFields: true,
  emptyTerms: true,
  contradiction: true,
  volume: true,
} as const satisfies Record<PodRejectionCause['kind'], true>

const ofPods = new Set<string>([...podCodes, ...Object.keys(refusals), ...Object.keys(rejections)])

/** States that pass by themselves or show damage by hand: the command's own help says all there is to say. */
const unlistedOfNodes = new Set([
  'InQueue',
  'NotManaged',
  'NoNodePoolLabel',
  'NodePoolNotFound',
  'BufferPods',
  'InstanceTypeNotFound',
  'NoCapacityTypeLabel',
  'NoZoneLabel',
  'MinValues',
])
const unlistedOfPods = new Set(['Finished', 'Deleting'])

/** Codes of a node that come from its budgets and its health; `nodeHelp` has those of the rules. */
const beside: Readonly<Record<string, string>> = {
  InvalidBudget: 'src/cli/explain',
  BudgetIsZero: 'src/rollout',
  TerminationBlocked: 'src/rollout',
  NodeNotReady: 'src/rollout',
  NodeRepairDisabled: 'src/cli/explain',
  NodeRepairBlocked: 'src/cli/explain',
}

test('the page lists every code of a pod, and no other', () => {
  const listed = codesUnder('A pod waits')
  expect({
    missing: [...ofPods].filter((code) => !unlistedOfPods.has(code) && !listed.includes(code)),
    invented: listed.filter((code) => !ofPods.has(code)),
    needlesslyUnlisted: [...unlistedOfPods].filter((code) => !ofPods.has(code) || listed.includes(code)),
    twice: listed.filter((code, index) => listed.indexOf(code) !== index),
  }).toEqual({ missing: [], invented: [], needlesslyUnlisted: [], twice: [] })
})

test('the page lists every code of a node that a person can do something about, and no other', () => {
  const listed = codesUnder('A node is not disrupted')
  const known = new Set([...Object.keys(nodeHelp), ...Object.keys(beside)])
  expect({
    missing: [...known].filter((code) => !unlistedOfNodes.has(code) && !listed.includes(code)),
    invented: listed.filter((code) => !known.has(code)),
    needlesslyUnlisted: [...unlistedOfNodes].filter((code) => !known.has(code) || listed.includes(code)),
    twice: listed.filter((code, index) => listed.indexOf(code) !== index),
  }).toEqual({ missing: [], invented: [], needlesslyUnlisted: [], twice: [] })
})

test.each(Object.entries(beside))('%s is said somewhere in %s', (code, folder) => {
  const root = new URL(`../../../${folder}/`, import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.some((file) => readFileSync(new URL(file, root), 'utf8').includes(`'${code}'`))).toBe(true)
})

test('every code has help of its own', () => {
  for (const help of Object.values(nodeHelp)) expect(help).toMatch(/\w{3}/)
})

/** What stands in the first column of the section's table. */
function codesUnder(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [own = ''] = section.split(/\n#+ /)
  return own
    .split('\n')
    .flatMap((line) => [...(/^\| ([^|]*) \|/.exec(line)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(([, code = '']) => code))
}
