import { expect, test } from 'vitest'
import { planMarkdown } from '../../../../src/cli/plan/view-markdown.ts'
import type { Plan } from '../../../../src/rollout/plan/plan.ts'
import { aPlan, aPlannedNode } from '../../../support/plan-values.ts'

function markdownOf(parts: Partial<Plan>): string {
  return planMarkdown(aPlan(parts), { launchMs: 90_000, drainMs: 60_000 })
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index + 1}`)

test('the whole is a heading, a sentence, tables, lists, and a fold for the waves', () => {
  const markdown = markdownOf({
    objects: [
      { kind: 'EC2NodeClass', name: 'default', change: 'unchanged' },
      { kind: 'NodePool', name: 'default', change: 'changed' },
    ],
    nodes: [
      aPlannedNode('n1', {
        action: 'replace',
        reason: 'NodePoolDrifted',
        fields: [
          { path: 'spec.a', old: null, new: 'x' },
          { path: 'spec.b', old: 'y', new: null },
        ],
        wave: 1,
      }),
      aPlannedNode('n2'),
      aPlannedNode('n3', { action: 'inPlace' }),
    ],
    waves: [{ wave: 1, notBefore: '2026-06-14T09:00:00Z', nodes: ['n1'] }],
    blockedBy: [{ node: 'n4', message: 'is paused by @team' }],
    unplaceablePods: [{ pod: 'default/web', node: 'n5', message: 'no room' }],
    limits: [{ nodePool: 'default', message: 'cpu <10>' }],
    durationSeconds: 150,
    notices: ['One thing.'],
  })
  expect(markdown).toBe(`### Joinery plan

**1 node to replace, 0 to remove, 1 changed in place, 1 untouched; 1 held back.** Takes 2m30s in 1 wave. Cost: $1.0000/h now, $2.0000/h at most, $1.0000/h after.

| Object | Change |
| --- | --- |
| \`NodePool/default\` | changed |

| NodePool | Nodes | Action | Reason | Fields |
| --- | --- | --- | --- | --- |
| \`default\` | 1 | replace | NodePoolDrifted | \`spec.a: (absent) -> x\`<br>\`spec.b: y -> (absent)\` |
| \`default\` | 1 | inPlace |  |  |

**Held back**

- n4: is paused by \\@team

**Pods that would fit nowhere**

- default/web (on n5): no room

**Limits**

- \`default\`: cpu \\<10\\>

**Notices**

- One thing.

<details><summary>1 wave</summary>

| Wave | Not before | Nodes |
| --- | --- | --- |
| 1 | 2026-06-14T09:00:00Z | \`n1\` |

</details>

<sub>Times assume that a new node is ready after 1m30s and an old one gone 1m0s later; prices, that the cheapest offering is had.</sub>`)
})

test('what there is none of has no table, no list and no fold', () => {
  expect(markdownOf({}).split('\n')).toEqual([
    '### Joinery plan',
    '',
    expect.stringMatching(/^\*\*0 nodes to replace, .*No node has to go\./),
    '',
    '| Object | Change |',
    '| --- | --- |',
    '| `NodePool/default` | changed |',
    '',
    expect.stringMatching(/^<sub>/),
  ])
})

test('a cause that concerns many nodes names ten of them', () => {
  const line = (count: number): string | undefined =>
    markdownOf({ blockedBy: names(count).map((node) => ({ node, message: 'is paused' })) })
      .split('\n')
      .find((text) => text.startsWith('- '))
  const ten = names(10).map((name) => `\`${name}\``)
  expect(line(1)).toBe('- n1: is paused')
  expect(line(2)).toBe('- 2 nodes: is paused: `n1` `n2`')
  expect(line(10)).toBe(`- 10 nodes: is paused: ${ten.join(' ')}`)
  expect(line(12)).toBe(`- 12 nodes: is paused: ${ten.join(' ')} and 2 more`)
})

test('a list of more than two hundred says how many there are more', () => {
  const items = (count: number): readonly string[] =>
    markdownOf({ blockedBy: names(count).map((node) => ({ node, message: `because of ${node}` })) })
      .split('\n')
      .filter((text) => text.startsWith('- '))
  expect(items(200)).toHaveLength(200)
  expect([items(203).length, items(203).at(-1)]).toEqual([201, '- and 3 more'])
})

test('waves beyond the two hundredth, and nodes of one beyond as many, are left out', () => {
  const waves = names(201).map((node, index) => ({
    wave: index + 1,
    notBefore: '',
    nodes: index === 0 ? names(201) : [node],
  }))
  const markdown = markdownOf({ waves })
  const rows = markdown.split('\n').filter((text) => /^\| \d/.test(text))
  expect(rows[0]).toMatch(/`n200` and 1 more \|$/)
  expect(rows).toHaveLength(200)
  expect(markdown).toContain('<summary>201 waves</summary>')
})
