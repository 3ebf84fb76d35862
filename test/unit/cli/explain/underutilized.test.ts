import { expect, test } from 'vitest'
import type { SimulationAnswer } from '../../../../src/cli/simulate/answer.ts'
import { bufferManifest } from '../../../support/buffer-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'
import { catalogue, explained, machine, medium, pod, pool } from './world.ts'

test('a node is not empty while a capacity buffer holds room on it, and its pods cannot go where the room is held', async () => {
  const buffer = bufferManifest('shop', '6', 1)
  const gates = ['--feature-gates', 'CapacityBuffer=true']
  const empty = pool() + machine('n1') + buffer
  expect((await explained('node', 'n1', empty, gates)).reasons).toContainEqual(
    expect.objectContaining({ about: 'Empty', outcome: 'blocks', code: 'BufferPods' }),
  )
  const off = ['--feature-gates', 'CapacityBuffer=false']
  expect((await explained('node', 'n1', empty, off)).summary).toBe('The node can be disrupted now: Empty.')
  const web = pod('web', { cpu: '6', more: 'nodeName: n1' })
  const two = pool() + machine('n1') + machine('n2', { claim: '' }) + web
  const reasonOf = async (manifests: string): Promise<string | undefined> =>
    (await explained('node', 'n1', manifests, gates)).reasons.find(({ about }) => about === 'Underutilized')?.message
  expect(await reasonOf(two)).toContain('its pods fit on other nodes')
  expect(await reasonOf(two + buffer)).not.toContain('its pods fit on other nodes')
})

test('three nodes none of which could go alone are told to go together', async () => {
  const names = ['n1', 'n2', 'n3']
  const nodes = names.map((name) => machine(name, { type: 'medium', cpu: '4', memory: '8Gi' }))
  const pods = names.map((name) => pod(`web-${name}`, { cpu: '2.2', more: `nodeName: ${name}` }))
  const { summary, reasons } = await explained('node', 'n2', medium + pool() + nodes.join('') + pods.join(''))
  expect(summary).toBe('The node can be disrupted now: Underutilized.')
  const found = reasons.find(({ about }) => about === 'Underutilized')
  expect(found).toMatchObject({ outcome: 'allows', code: 'Underutilized' })
  expect(found?.message).toBe(
    'it goes together with n1, n3: one cheaper node (such as big) can take all their pods, saving $0.35 per hour',
  )
})

test('a node that cannot go is told so alone and in company', async () => {
  const manifests = pool() + machine('n1') + pod('web', { cpu: '6', more: 'nodeName: n1' })
  const { reasons } = await explained('node', 'n1', manifests)
  expect(reasons.find(({ about }) => about === 'Underutilized')?.message).toBe(
    "alone: Can't replace with a cheaper node; the search finds no nodes that could go together",
  )
})

test('under the Balanced policy a move is weighed against the whole pool, nodes that nobody may disrupt included', async () => {
  const balanced = pool().replace('disruption: {', 'disruption: {consolidationPolicy: Balanced, ')
  const small = machine('n1', { type: 'small', cpu: '2', memory: '4Gi' })
  const three = ['a', 'b', 'c'].map((name) => pod(name, { cpu: '0.3', more: 'nodeName: n1' })).join('')
  const kept = pod('kept', { more: 'nodeName: n2', annotations: '{karpenter.sh/do-not-disrupt: "true"}' })
  const manifests = balanced + small + machine('n2') + three + kept
  const { reasons } = await explained('node', 'n1', manifests)
  expect(reasons.find(({ about }) => about === 'Underutilized')).toMatchObject({
    outcome: 'blocks',
    code: 'ScoreTooLow',
  })
  const args = ['simulate', '-', '--disrupt', '-o', 'json', '--now', '2026-01-02T00:00:00Z']
  const { stdout } = await runCommand(args, { stdin: catalogue + manifests })
  const { disruption } = JSON.parse(stdout) as SimulationAnswer
  expect(disruption?.commands).toEqual([])
  expect(disruption?.blocked).toContainEqual(expect.objectContaining({ node: 'n1', reason: 'ScoreTooLow' }))
})
