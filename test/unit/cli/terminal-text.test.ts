import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { toJSON, toYAML } from '../../../src/cli/data-text.ts'
import { explanationText } from '../../../src/cli/explain/view.ts'
import type { Explanation } from '../../../src/cli/explain/explanation.ts'
import { planMarkdown } from '../../../src/cli/plan/view-markdown.ts'
import { planText } from '../../../src/cli/plan/view-text.ts'
import { historyTable, standingLine, standingsTable, standingText, writtenText } from '../../../src/cli/rollout/view.ts'
import type { SimulationAnswer } from '../../../src/cli/simulate/answer.ts'
import { answerText } from '../../../src/cli/simulate/view.ts'
import { renderTop } from '../../../src/cli/top/render.ts'
import { formatReports } from '../../../src/cli/validate/report.ts'
import type { Plan } from '../../../src/rollout/plan/plan.ts'
import type { Standing } from '../../../src/rollout/standing.ts'
import { runCommand } from '../../support/command-run.ts'
import { aFleetView, aNodeView, aPoolView, viewedAt } from '../../support/fleet-views.ts'

/*
 * Names and messages come from objects that others write, or from manifests of a pull request: printed as they are they could move the
 * cursor, set the title of the window, hide a line or pretend to be one.
 */

const plannedNode = (s: string) => ({
  nodePool: s,
  requirements: [],
  instanceTypes: [s, s],
  requests: { [s]: s },
  pods: [s],
  price: null,
})

const answer = (s: string): SimulationAnswer => ({
  nodeClaims: [plannedNode(s)],
  existing: [{ node: s, pods: [s] }],
  unschedulable: [{ pod: s, reasons: [{ nodePool: s, message: s }] }],
  disruption: {
    commands: [
      { reason: 'Empty', method: 'emptiness', candidates: [s], replacements: [plannedNode(s)], savingsPerHour: null },
    ],
    blocked: [{ node: s, reason: 'Paused', message: s }],
  },
})

const explanation = (s: string): Explanation => ({
  kind: 'Pod',
  name: s,
  summary: s,
  facts: [{ name: s, value: s }],
  reasons: [{ about: s, outcome: 'blocks', code: s, message: s, help: s }],
  changes: [{ object: 'NodePool', path: s, old: s, new: s }],
})

const plan = (s: string): Plan => ({
  objects: [{ kind: s, name: s, change: 'added' }],
  nodes: (['stay', 'inPlace', 'replace', 'remove'] as const).map((action) => ({
    node: s,
    nodeClaim: s,
    nodePool: s,
    action,
    reason: s,
    fields: [{ path: s, old: s, new: s }],
    wave: null,
  })),
  waves: [{ wave: 1, notBefore: '2026-01-01T00:00:00Z', nodes: [s, s, s] }],
  unplaceablePods: [
    { pod: s, node: s, message: s },
    { pod: `${s}2`, node: s, message: s },
  ],
  blockedBy: [{ node: s, message: s }],
  limits: [{ nodePool: s, message: s }],
  cost: null,
  durationSeconds: 60,
  notices: [s],
})

const standing = (s: string): Standing => ({
  ...aPoolView(s, {
    reason: s,
    message: s,
    blockedBy: [{ reason: s, nodes: 1, message: s }],
    target: s,
    pausedUntil: s,
    retiring: s,
    problems: [{ path: s, message: s }],
    rollout: { policy: s, step: 0, steps: 2, startTime: s },
  }),
})

const fleet = (s: string) =>
  aFleetView(
    [
      aNodeView(s, {
        pool: s,
        instanceType: s,
        zone: s,
        capacityType: s,
        drifted: { reason: s, message: s },
        blocked: [{ code: s, message: s }],
      }),
    ],
    [aPoolView(s, { outlook: 'Stalled', reason: s, message: s })],
  )

const timing = { launchMs: 60_000, drainMs: 60_000 }
const finding = (s: string) => ({ rule: 'JN-101', path: s, message: s, line: 1, column: 1, fix: 'mend it' })
const report = (s: string) => ({
  file: s,
  document: 0,
  line: 1,
  apiVersion: s,
  kind: s,
  name: s,
  allowed: false,
  errors: [finding(s)],
  warnings: [finding(s)],
})

const views: Record<string, (s: string) => string> = {
  'joinery simulate': (s) => answerText(answer(s)),
  'joinery explain': (s) => explanationText(explanation(s)),
  'joinery plan': (s) => planText(plan(s), timing, { colour: false }),
  'joinery plan in colours': (s) => planText(plan(s), timing, { colour: true }),
  'joinery plan as a comment': (s) => planMarkdown(plan(s), timing),
  'joinery rollout status, all': (s) => standingsTable([standing(s)]),
  'joinery rollout status, one': (s) => standingText(standing(s)),
  'joinery rollout status, watched': (s) => standingLine(standing(s)),
  'joinery rollout history': (s) => historyTable([{ revision: s, outcome: s, since: s, what: s }]),
  'what joinery rollout has written': (s) =>
    writtenText({ message: s, dryRun: true, changed: true, kubectl: s } as never),
  'joinery top': (s) =>
    renderTop(
      { ...fleet(s), cluster: s },
      viewedAt,
      { sort: 'name', direction: 'normal', offset: 0, notice: s } as never,
      { columns: 200, rows: 40, colour: true },
    ).join('\n'),
  'joinery validate': (s) => formatReports([report(s)], 'text'),
  'joinery validate -o github': (s) => formatReports([report(s)], 'github'),
}

/** Colours of a view's own. */
// oxlint-disable-next-line no-control-regex
const colours = /\u001b\[[0-9;]*m/g
// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/

const hostile = fc
  .array(
    fc.constantFrom(
      '\u001b]0;owned\u0007',
      '\u001b[2J',
      '\u009b1A',
      '\n',
      '\r',
      '\u2028',
      '\u202e',
      '\u2066',
      '\u0000',
      'a',
      ' ',
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(''))

describe('nothing in an object gets past its place on the terminal', () => {
  test.each(Object.entries(views))('%s', (_name, view) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const harmless = 'x'.repeat(text.length)
        const [shown, expected] = [view(text), view(harmless)]
        // A colour that is not the view's is there more often than in the harmless text.
        expect(shown.match(colours)).toEqual(expected.match(colours))
        expect(shown.replaceAll(colours, '')).not.toMatch(control)
        expect(shown.split('\n')).toHaveLength(expected.split('\n').length)
      }),
      { numRuns: 60, seed: 3 },
    )
  })

  test.each([
    { format: 'JSON', write: (value: unknown) => toJSON(value), read: (text: string): unknown => JSON.parse(text) },
    {
      format: 'JSON in a line',
      write: (value: unknown) => toJSON(value, 'line'),
      read: (text: string): unknown => JSON.parse(text),
    },
    { format: 'YAML', write: toYAML, read: (text: string): unknown => parse(text) },
  ])('nor out of $format, which means the same', ({ write, read }) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const value = { [text]: [text, { message: text }] }
        const shown = write(value)
        expect(shown).not.toMatch(control)
        expect(read(shown)).toEqual(value)
      }),
      { numRuns: 200, seed: 3 },
    )
  })

  test('nor what is said of a file', async () => {
    const bad = 'apiVersion: v1\nkind: "Po\\u001b[2Jd"\nmetadata: {name: "\\u202ea\\nb"}\nspec: 1\n'
    for (const args of [
      ['plan', '-f', '-'],
      ['simulate', '-f', '-'],
      ['explain', 'pod', 'a\u001b[2J/b\nc', '-f', '-'],
    ]) {
      const { stdout, stderr } = await runCommand(args, { stdin: bad })
      expect(`${stdout}${stderr}`).not.toBe('')
      expect(`${stdout}${stderr}`).not.toMatch(control)
    }
  })

  test('nor the name of a file that is not there', async () => {
    const { stderr } = await runCommand(['validate', 'no\u001b]0;x\u0007such\u009bfile'])
    expect(stderr).toMatch(/no\?\]0;x\?such\?file/)
    expect(stderr).not.toMatch(control)
  })
})
