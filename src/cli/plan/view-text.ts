import type { ReplacementTiming } from '../../rollout/plan/input.ts'
import { hasEffect, type ObjectChange, type Plan, type PlanWave } from '../../rollout/plan/plan.ts'
import { assumptionText, countText, dollarsText, durationText, fieldText, groupNodes, headline } from './summary.ts'

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
/** More waves than anybody reads: the first ones and the last one tell the rhythm. */
const wavesMax = 12

/** More lines of one kind than anybody reads. */
const linesMax = 40

/** The plan as a person reads it. */
export function planText(plan: Plan, timing: ReplacementTiming, { colour }: { readonly colour: boolean }): string {
  if (!hasEffect(plan)) return 'No changes. Every node stays as it is.'
  const paint = (mark: string, text: string): string =>
    colour && colours[mark] !== undefined ? `${colours[mark]}${text}${plain}` : text
  const line = (what: string, text: string): string => {
    const mark = marks[what] ?? ' '
    return paint(mark, `  ${mark} ${text}`)
  }
  return [
    'Objects',
    ...plan.objects
      .filter(({ change }) => change !== 'unchanged')
      .map((object) => line(object.change, objectText(object))),
    ...unchangedText(plan.objects),
    '',
    'Nodes',
    ...groupNodes(plan.nodes).flatMap(({ nodePool, action, reason, fields, nodes }) => {
      if (action === 'stay') return [line(action, `${nodePool}: ${countText(nodes.length, 'node')} untouched`)]
      const what = { replace: 'to replace', remove: 'to remove', inPlace: 'changed in place' }[action]
      const why = reason === null ? '' : `, ${reason}`
      return [
        line(action, `${nodePool}: ${countText(nodes.length, 'node')} ${what}${why}`),
        ...fields.map((field) => `        ${fieldText(field)}`),
        `        ${namesText(nodes.map(({ node }) => node))}`,
      ]
    }),
    ...section('Waves', waveLines(plan.waves)),
    ...section(
      'Held back',
      plan.blockedBy.map(({ node, message }) => `  ! ${node}: ${message}`),
    ),
    ...section(
      'Pods that would fit nowhere',
      plan.unplaceablePods.map(({ pod, node, message }) => `  ! ${pod} (on ${node}): ${message}`),
    ),
    ...section(
      'Limits',
      plan.limits.map(({ nodePool, message }) => `  ! ${nodePool}: ${message}`),
    ),
    '',
    `Plan: ${headline(plan)}.`,
    `Duration: ${durationText(plan.durationSeconds)} in ${countText(plan.waves.length, 'wave')}. Cost: ${dollarsText(plan.cost.before)} now, ${dollarsText(plan.cost.during)} at most, ${dollarsText(plan.cost.after)} after.`,
    assumptionText(timing),
    ...plan.notices,
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
  const lines = waves.map(
    ({ wave, notBefore, nodes }) => `  ${wave}. ${notBefore}  ${countText(nodes.length, 'node')}: ${namesText(nodes)}`,
  )
  if (lines.length <= wavesMax) return lines
  const last = lines.at(-1) ?? ''
  return [...lines.slice(0, wavesMax - 1), `  … ${lines.length - wavesMax} more`, last]
}

function namesText(names: readonly string[]): string {
  const shown = names.slice(0, namesMax).join(', ')
  return names.length > namesMax ? `${shown} and ${names.length - namesMax} more` : shown
}
