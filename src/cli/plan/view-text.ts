import { listText, restText } from '../../model/list-text.ts'
import type { ReplacementTiming } from '../../rollout/plan/input.ts'
import { hasEffect, type ObjectChange, type Plan, type PlanWave } from '../../rollout/plan/plan.ts'
import { countText } from '../count-text.ts'
import { printableText } from '../table.ts'
import * as summary from './summary.ts'

const marks: Readonly<Record<string, string>> = {
  added: '+',
  changed: '~',
  removed: '-',
  unchanged: ' ',
  replace: '-/+',
  remove: '-',
  inPlace: '~',
}

const colours: Readonly<Record<string, string>> = {
  '+': '\u001B[32m',
  '~': '\u001B[33m',
  '-': '\u001B[31m',
  '-/+': '\u001B[31m',
}
const plain = '\u001B[0m'

/** More names than anybody reads. */
const namesMax = 4
/** A wave is one line. */
const waveNamesMax = 2
/** Wider lines wrap on most screens. */
const columnsMax = 110
/** More waves than anybody reads: the first ones and the last one tell the rhythm. */
const wavesMax = 12

/** More lines of one kind than anybody reads. */
const linesMax = 40

/** The plan as a person reads it. */
export function planText(plan: Plan, timing: ReplacementTiming, { colour }: { readonly colour: boolean }): string {
  if (!hasEffect(plan)) return [summary.noEffectText(plan), ...plan.notices.map(printableText)].join('\n')
  const paint = (mark: string, text: string): string =>
    colour && colours[mark] !== undefined ? `${colours[mark]}${text}${plain}` : text
  const line = (what: string, text: string): string => {
    const mark = marks[what] ?? ' '
    return paint(mark, printableText(`  ${mark} ${text}`))
  }
  return [
    'Objects',
    ...plan.objects
      .filter(({ change }) => change !== 'unchanged')
      .map((object) => line(object.change, objectText(object))),
    ...unchangedText(plan.objects),
    ...section(
      'Nodes',
      summary.groupNodes(plan.nodes).flatMap(({ nodePool, action, reason, fields, nodes }) => {
        if (action === 'stay') return [line(action, `${nodePool}: ${countText(nodes.length, 'node')} untouched`)]
        const what = { replace: 'to replace', remove: 'to remove', inPlace: 'changed in place' }[action]
        const why = reason === null ? '' : `, ${reason}`
        return [
          line(action, `${nodePool}: ${countText(nodes.length, 'node')} ${what}${why}`),
          ...fields.map((field) => printableText(`        ${summary.fieldText(field)}`)),
          ...namesLines(nodes.map(({ node }) => node)),
        ]
      }),
    ),
    ...section('Waves', waveLines(plan.waves)),
    ...section('Held back', summary.heldBack(plan).flatMap(obstacleLines)),
    ...section('Pods that would fit nowhere', summary.unplaceable(plan).flatMap(obstacleLines)),
    ...section(
      'Limits',
      plan.limits.map(({ nodePool, message }) => printableText(`  ! ${nodePool}: ${message}`)),
    ),
    '',
    `Plan: ${summary.headline(plan)}.`,
    `${summary.paceText(plan)} ${summary.costText(plan)}`,
    summary.assumptionText(timing),
    ...plan.notices.map(printableText),
  ].join('\n')
}

function objectText({ kind, name, change }: ObjectChange): string {
  return `${kind}/${name} ${change}`
}

function unchangedText(objects: readonly ObjectChange[]): string[] {
  const unchanged = objects.filter(({ change }) => change === 'unchanged').length
  return unchanged === 0 ? [] : [`    ${countText(unchanged, 'object')} unchanged`]
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return []
  const more = lines.length > linesMax ? [`    and ${lines.length - linesMax} more; -o json has them all`] : []
  return ['', title, ...lines.slice(0, linesMax), ...more]
}

function waveLines(waves: readonly PlanWave[]): string[] {
  const width = String(waves.length).length
  const lines = waves.map(({ wave, notBefore, nodes }) => {
    const names = listText(nodes, waveNamesMax, 'more')
    return printableText(
      `  ${String(wave).padStart(width)}. ${notBefore}  ${countText(nodes.length, 'node')}: ${names}`,
    )
  })
  if (lines.length <= wavesMax) return lines
  const last = lines.at(-1) ?? ''
  return [...lines.slice(0, wavesMax - 1), `  … ${lines.length - wavesMax} more`, last]
}

/** One for a single node, whose name says it all. */
function obstacleLines(obstacle: summary.Obstacle): string[] {
  const { message, nodes, pods } = obstacle
  const names = pods.length > 0 ? pods : nodes
  const cause = printableText(`  ! ${summary.obstacleSubject(obstacle)}: ${message}`)
  return [cause, ...(names.length > 1 ? namesLines(names) : [])]
}

/** As many to a line as fit. */
function namesLines(names: readonly string[]): string[] {
  const lines: string[] = []
  let line = ''
  for (const name of names.slice(0, namesMax)) {
    const joined = line === '' ? name : `${line}, ${name}`
    if (line !== '' && joined.length > columnsMax) {
      lines.push(`${line},`)
      line = name
    } else line = joined
  }
  return [...lines, line + restText(names.length, namesMax, 'more')].map((text) => printableText(`        ${text}`))
}
