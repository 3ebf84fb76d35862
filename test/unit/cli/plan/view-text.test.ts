import { describe, expect, test } from 'vitest'
import { planText } from '../../../../src/cli/plan/view-text.ts'
import type { Plan } from '../../../../src/rollout/plan/plan.ts'
import { aPlan, aPlannedNode } from '../../../support/plan-values.ts'

const timing = { launchMs: 90_000, drainMs: 60_000 }

function linesOf(parts: Partial<Plan>, colour = false): readonly string[] {
  return planText(aPlan(parts), timing, { colour }).split('\n')
}

/** What stands under a title, up to the next empty line. */
function section(title: string, parts: Partial<Plan>): readonly string[] {
  const lines = linesOf(parts)
  const begin = lines.indexOf(title) + 1
  return begin === 0 ? [] : lines.slice(begin, lines.indexOf('', begin))
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`)

const field = (path: string) => ({ path, old: null, new: 'a' })

describe('what happens to nodes', () => {
  test('is told by pool, what weighs most first', () => {
    const replaced = { action: 'replace', reason: 'NodePoolDrifted', fields: [field('spec.weight')] } as const
    const nodes = [
      aPlannedNode('n1', { nodePool: 'b' }),
      aPlannedNode('n2', { nodePool: 'b', action: 'inPlace', reason: 'Consolidatable' }),
      aPlannedNode('n3', { nodePool: 'b', ...replaced }),
      aPlannedNode('n4', { nodePool: 'b', action: 'remove', reason: 'Empty' }),
      aPlannedNode('n5', { nodePool: 'b', action: 'replace', reason: 'AMIDrift' }),
      aPlannedNode('n6', { nodePool: 'a' }),
      aPlannedNode('n7', { nodePool: 'a', action: 'inPlace' }),
      aPlannedNode('n8', { nodePool: 'b', ...replaced }),
    ]
    expect(section('Nodes', { nodes })).toEqual([
      '  ~ a: 1 node changed in place',
      '        n7',
      '    a: 1 node untouched',
      '  - b: 1 node to remove, Empty',
      '        n4',
      '  -/+ b: 1 node to replace, AMIDrift',
      '        n5',
      '  -/+ b: 2 nodes to replace, NodePoolDrifted',
      '        spec.weight: (absent) -> a',
      '        n3, n8',
      '  ~ b: 1 node changed in place, Consolidatable',
      '        n2',
      '    b: 1 node untouched',
    ])
    expect(linesOf({ nodes }).find((line) => line.startsWith('Plan: '))).toBe(
      'Plan: 3 nodes to replace, 1 to remove, 2 changed in place, 2 untouched.',
    )
  })

  test('names four of them, as many to a line as fit', () => {
    const long = names(`ip-10-0-1-${'0'.repeat(40)}`, 5)
    const nodes = long.map((node) => aPlannedNode(node, { action: 'replace', reason: 'AMIDrift' }))
    expect(section('Nodes', { nodes })).toEqual([
      '  -/+ default: 5 nodes to replace, AMIDrift',
      `        ${long[0]}, ${long[1]},`,
      `        ${long[2]}, ${long[3]} and 1 more`,
    ])
    expect(section('Nodes', { nodes: nodes.slice(1) }).at(-1)).toBe(`        ${long[3]}, ${long[4]}`)
  })
})

test('objects that stay as they are count', () => {
  const objects: Plan['objects'] = [
    { kind: 'EC2NodeClass', name: 'a', change: 'unchanged' },
    { kind: 'NodePool', name: 'a', change: 'added' },
    { kind: 'NodePool', name: 'b', change: 'removed' },
    { kind: 'NodePool', name: 'c', change: 'changed' },
    { kind: 'NodePool', name: 'd', change: 'unchanged' },
  ]
  expect(section('Objects', { objects })).toEqual([
    '  + NodePool/a added',
    '  - NodePool/b removed',
    '  ~ NodePool/c changed',
    '    2 objects unchanged',
  ])
  expect(section('Objects', { objects: objects.slice(1, 4) })).toHaveLength(3)
})

describe('waves', () => {
  const waves = (count: number): Plan['waves'] =>
    Array.from({ length: count }, (_, index) => ({
      wave: index + 1,
      notBefore: '2026-06-14T09:00:00Z',
      nodes: names('n', index + 1),
    }))

  test('are all told where they are a dozen', () => {
    const lines = section('Waves', { waves: waves(12) })
    expect(lines).toHaveLength(12)
    expect(lines.slice(0, 3)).toEqual([
      '   1. 2026-06-14T09:00:00Z  1 node: n1',
      '   2. 2026-06-14T09:00:00Z  2 nodes: n1, n2',
      '   3. 2026-06-14T09:00:00Z  3 nodes: n1, n2 and 1 more',
    ])
  })

  test('of which there are more are the first ones and the last', () => {
    const lines = section('Waves', { waves: waves(15) })
    expect(lines.map((line) => line.slice(0, 10))).toEqual([
      ...names('', 11).map((wave) => `  ${wave.padStart(2)}. 2026`),
      '  … 3 more',
      '  15. 2026',
    ])
  })
})

describe('what holds nodes back', () => {
  test('is told once for each cause, the most frequent first', () => {
    const pod = (name: string, node: string, message: string) => ({ pod: `default/${name}`, node, message })
    const parts = {
      blockedBy: [
        { node: 'n1', message: 'is paused' },
        { node: 'n2', message: 'Not all pods would schedule: p1, p2' },
        { node: 'n3', message: 'Not all pods would schedule: p3' },
        { node: 'n4', message: 'is annotated' },
      ],
      unplaceablePods: [
        pod('p1', 'n2', 'no room'),
        pod('p2', 'n2', 'taint'),
        pod('p3', 'n3', 'taint'),
        pod('p4', 'n3', 'no room'),
        pod('p5', 'n3', 'taint'),
        pod('p6', 'n3', 'a zone'),
      ],
    }
    expect(section('Held back', { ...parts, unplaceablePods: parts.unplaceablePods.slice(0, 4) })).toEqual([
      '  ! 2 nodes: Not all pods would schedule: no room; taint',
      '        n2, n3',
      '  ! n4: is annotated',
      '  ! n1: is paused',
    ])
    expect(section('Pods that would fit nowhere', parts)).toEqual([
      '  ! 3 pods (on 2 nodes): taint',
      '        default/p2, default/p3, default/p5',
      '  ! 2 pods (on 2 nodes): no room',
      '        default/p1, default/p4',
      '  ! default/p6 (on n3): a zone',
    ])
    expect(linesOf(parts)).toContain(
      'Plan: 0 nodes to replace, 0 to remove, 0 changed in place, 0 untouched; 4 held back.',
    )
    expect(linesOf(parts)).toContain(
      'Nothing moves as long as it is held back. Cost: $1.0000/h now, $2.0000/h at most, $1.0000/h after.',
    )
  })

  test('leaves nothing to take time, be it one node', () => {
    expect(linesOf({ blockedBy: [{ node: 'n1', message: 'is paused' }], cost: null })).toContain(
      'Nothing moves as long as it is held back. Cost: not known.',
    )
  })

  test('is cut off after forty lines, which says how many there are more', () => {
    const blocked = (count: number) => names('n', count).map((node) => ({ node, message: `because of ${node}` }))
    expect(section('Held back', { blockedBy: blocked(40) })).toHaveLength(40)
    const lines = section('Held back', { blockedBy: blocked(43) })
    expect(lines).toHaveLength(41)
    expect(lines.at(-1)).toBe('    and 3 more; -o json has them all')
  })
})

test('limits and notices have lines of their own', () => {
  const parts = {
    limits: [{ nodePool: 'default', message: 'limit of cpu exceeded' }],
    notices: ['One thing.', 'Another.'],
  }
  expect(section('Limits', parts)).toEqual(['  ! default: limit of cpu exceeded'])
  expect(linesOf(parts).slice(-2)).toEqual(['One thing.', 'Another.'])
})

test('where prices are not known, no cost is told', () => {
  expect(linesOf({ cost: null })).toContain('No node has to go. Cost: not known.')
})

test('what changes nothing has its notices and nothing else', () => {
  expect(linesOf({ objects: [], notices: ['One \u001b[2Jthing.'] })).toEqual([
    'No changes. Every node stays as it is.',
    'One ?[2Jthing.',
  ])
})

test('what changes nothing does not say that nodes stay that are being deleted', () => {
  const nodes = [aPlannedNode('n1', { action: 'remove', reason: 'Deleting', wave: 1 }), aPlannedNode('n2')]
  expect(linesOf({ objects: [], nodes })).toEqual([
    'No changes. Every node stays as it is, except 1 on the way out already.',
  ])
})

test('a terminal has what comes, changes and goes in colours, and nothing else', () => {
  const nodes = [
    aPlannedNode('n1', { action: 'replace', reason: 'AMIDrift' }),
    aPlannedNode('n2', { action: 'remove', reason: 'Empty' }),
    aPlannedNode('n3'),
  ]
  const coloured = linesOf({ nodes }, true)
  expect(coloured.filter((line) => line.includes('\u001b'))).toEqual([
    '\u001b[33m  ~ NodePool/default changed\u001b[0m',
    '\u001b[31m  - default: 1 node to remove, Empty\u001b[0m',
    '\u001b[31m  -/+ default: 1 node to replace, AMIDrift\u001b[0m',
  ])
  expect(coloured).toContain('    default: 1 node untouched')
})
