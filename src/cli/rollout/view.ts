import type { Standing } from '../../rollout/standing.ts'
import { printableText, tableText } from '../table.ts'
import type { HistoryEntry } from './history.ts'
import type { WrittenAnnotation } from './annotate.ts'

const unknown = '-'

/** One line an object. */
export function standingsTable(standings: readonly Standing[]): string {
  return tableText([
    ['OBJECT', 'STATE', 'NODES', 'READY', 'UP-TO-DATE', 'DRIFTED', 'BLOCKED', 'REASON'],
    ...standings.map((standing) => [
      objectText(standing),
      standing.outlook,
      count(standing.nodes),
      count(standing.readyNodes),
      count(standing.upToDateNodes),
      count(standing.driftedNodes),
      count(standing.blockedNodes),
      standing.reason,
    ]),
  ])
}

/** Everything about one object. */
export function standingText(standing: Standing): string {
  const { rollout } = standing
  const facts: [string, string][] = [
    ['nodes', nodesText(standing)],
    ...(rollout?.policy === undefined ? [] : [pair('policy', rollout.policy)]),
    ...(rollout?.steps === undefined ? [] : [pair('rollout', rolloutText(rollout))]),
    ...(standing.target === null
      ? []
      : [pair('target', `${standing.target}${standing.approved ? ' (approved)' : ''}`)]),
    ...(standing.pausedUntil === null ? [] : [pair('paused until', standing.pausedUntil)]),
    ...(standing.retiring === null ? [] : [pair('retiring', standing.retiring)]),
    ...standing.blockedBy.map(({ reason, nodes, message }) => pair('blocked', `${nodes} by ${reason}: ${message}`)),
    ...nextSteps(standing),
    ...standing.problems.map(({ path, message }) => pair('problem', `${path}: ${message}`)),
  ]
  const width = Math.max(...facts.map(([name]) => name.length))
  return [
    standingLine(standing),
    ...facts.map(([name, value]) => `  ${name.padEnd(width)}  ${printableText(value)}`),
  ].join('\n')
}

/** What a person can do about it, where there is just one thing to do. */
function nextSteps(standing: Standing): readonly [string, string][] {
  const command = (verb: string): string => `joinery rollout ${verb} ${objectText(standing)}`
  if (standing.reason === 'AwaitingApproval') return [pair('to approve', command('approve'))]
  return standing.pausedUntil === null ? [] : [pair('to resume', command('resume'))]
}

/** What a watch prints each time something changed. */
export function standingLine(standing: Standing): string {
  const { outlook, reason, message, upToDateNodes, nodes } = standing
  const counted = upToDateNodes === null || nodes === null ? '' : `${upToDateNodes} of ${nodes} nodes up to date; `
  return printableText(
    `${objectText(standing)}: ${outlook}: ${counted}${message === '' ? reason : message} [${reason}]`,
  )
}

export function historyTable(entries: readonly HistoryEntry[]): string {
  return tableText([
    ['REVISION', 'OUTCOME', 'SINCE', 'WHAT'],
    ...entries.map(({ revision, outcome, since, what }) => [revision, outcome, since, what]),
  ])
}

export function writtenText({ message, dryRun, changed, kubectl }: WrittenAnnotation): string {
  const said = `${printableText(message)}${dryRun ? ' (dry run)' : changed ? '' : ' (nothing changed)'}`
  return dryRun ? `${said}\n${printableText(kubectl)}` : said
}

function objectText({ kind, name }: Pick<Standing, 'kind' | 'name'>): string {
  return `${kind.toLowerCase()}/${name}`
}

function nodesText({ nodes, readyNodes, upToDateNodes, driftedNodes, blockedNodes }: Standing): string {
  return `${count(nodes)}: ${count(readyNodes)} ready, ${count(upToDateNodes)} up to date, ${count(driftedNodes)} drifted, ${count(blockedNodes)} blocked`
}

function rolloutText({ step = 0, steps = 1, startTime }: NonNullable<Standing['rollout']>): string {
  const parts = [`step ${step + 1} of ${steps}`, ...(startTime === undefined ? [] : [`since ${startTime}`])]
  return parts.join(', ')
}

function count(number: number | null): string {
  return number === null ? unknown : String(number)
}

function pair(name: string, value: string): [string, string] {
  return [name, value]
}
