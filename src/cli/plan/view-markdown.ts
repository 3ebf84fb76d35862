import { restText } from '../../model/list-text.ts'
import type { ReplacementTiming } from '../../rollout/plan/input.ts'
import { hasEffect, type Plan } from '../../rollout/plan/plan.ts'
import { countText } from '../count-text.ts'
import { printableText } from '../table.ts'
import * as summary from './summary.ts'

/** Long lists go into a fold that opens on demand; beyond this many rows a comment would be refused. */
const rowsMax = 200
/** Names of nodes or pods that one cause keeps. */
const namesMax = 10

/** The plan as a comment on a pull request. */
export function planMarkdown(plan: Plan, timing: ReplacementTiming): string {
  const notices = warnings('Notices', plan.notices.map(escaped))
  if (!hasEffect(plan)) return ['### Joinery plan', '', summary.noEffectText(plan), ...notices].join('\n')
  const changed = plan.objects.filter(({ change }) => change !== 'unchanged')
  const groups = summary.groupNodes(plan.nodes).filter(({ action }) => action !== 'stay')
  return [
    '### Joinery plan',
    '',
    `**${summary.headline(plan)}.** ${summary.paceText(plan)} ${summary.costText(plan)}`,
    ...table(
      ['Object', 'Change'],
      changed.map(({ kind, name, change }) => [code(`${kind}/${name}`), change]),
    ),
    ...table(
      ['NodePool', 'Nodes', 'Action', 'Reason', 'Fields'],
      groups.map(({ nodePool, nodes, action, reason, fields }) => [
        code(nodePool),
        String(nodes.length),
        action,
        escaped(reason ?? ''),
        fields.map((field) => code(summary.fieldText(field))).join('<br>'),
      ]),
    ),
    ...warnings('Held back', summary.heldBack(plan).map(obstacleItem)),
    ...warnings('Pods that would fit nowhere', summary.unplaceable(plan).map(obstacleItem)),
    ...warnings(
      'Limits',
      plan.limits.map(({ nodePool, message }) => `${code(nodePool)}: ${escaped(message)}`),
    ),
    ...notices,
    ...fold(
      countText(plan.waves.length, 'wave'),
      table(
        ['Wave', 'Not before', 'Nodes'],
        plan.waves
          .slice(0, rowsMax)
          .map(({ wave, notBefore, nodes }) => [String(wave), notBefore, codesText(nodes, rowsMax)]),
      ),
    ),
    '',
    `<sub>${summary.assumptionText(timing)}</sub>`,
  ].join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return ['', row(head), row(head.map(() => '---')), ...rows.map(row)]
}

function obstacleItem(obstacle: summary.Obstacle): string {
  const { message, nodes, pods } = obstacle
  const names = pods.length > 0 ? pods : nodes
  const all = names.length > 1 ? `: ${codesText(names, namesMax)}` : ''
  return `${escaped(summary.obstacleSubject(obstacle))}: ${escaped(message)}${all}`
}

function codesText(names: readonly string[], max: number): string {
  return names.slice(0, max).map(code).join(' ') + restText(names.length, max, 'more')
}

function warnings(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return []
  const more = items.length > rowsMax ? [`- and ${items.length - rowsMax} more`] : []
  return ['', `**${title}**`, '', ...items.slice(0, rowsMax).map((item) => `- ${item}`), ...more]
}

function fold(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `<details><summary>${title}</summary>`, ...lines, '', '</details>']
}

/** A span of code: what is in it cannot be markup, except for backticks and line ends. */
function code(text: string): string {
  return `\`${printableText(text.replaceAll('`', "'").replaceAll('\n', ' '))}\``
}

/** Messages name labels and quote values: none of it may become markup or a mention. */
function escaped(text: string): string {
  return printableText(text.replaceAll(/[\\`*_<>@#[\]]/g, String.raw`\$&`).replaceAll('\n', ' '))
}
