import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoSettings, runStep, steps } from '../../../src/cli/demo/script.ts'
import { startStack, type Stack } from '../../../src/cli/embedded/stack.ts'
import { type EmittedEvent, eventTable, rowOf } from '../../../src/controllers/event-table.ts'
import { eventsPage } from '../../../src/controllers/events-page.ts'
import { awsMetricTable } from '../../../src/cloud/aws/metric-table.ts'
import { metricTable, allMetricRows } from '../../../src/controllers/metric-table.ts'
import { metricsPage } from '../../../src/controllers/metrics-page.ts'
import { events } from '../../../src/kube/kinds.ts'

const root = join(import.meta.dirname, '../../..')
const source = readSource(join(root, 'src'))

/** Rows without a user in `src`, and why that is so. */
const unfed: Readonly<Record<string, string>> = {}
/** Reasons that a run of a healthy fleet does not show are looked for in the source; these are in neither, and why. */
const unemitted: Readonly<Record<string, string>> = {}

/** Families that docs/metrics.md names by their beginning only: what controller-runtime, client-go and the AWS SDK publish under Karpenter. */
const ofLibraries = new RegExp(`^(${[...metricsPage().matchAll(/`(\w+_)\*`/g)].map(([, prefix]) => prefix).join('|')})`)

let stack: Stack
const seen: EmittedEvent[] = []
let page = ''

beforeAll(async () => {
  stack = await startStack({ seed: 5, region: 'us-west-2', settings: demoSettings })
  for (const step of steps) {
    const result = await runStep(step, stack)
    expect({ step: step.name, checks: result.checks.filter(({ ok }) => !ok) }).toEqual({ step: step.name, checks: [] })
    await collect()
  }
}, 300_000)

afterAll(() => stack.stop())

async function collect(): Promise<void> {
  const { items } = await stack.cluster.client.list(events)
  for (const { reason = '', type = '', message = '', involvedObject, source: from } of items) {
    if (from?.component === 'karpenter') seen.push({ reason, type, message, kind: involvedObject.kind ?? '' })
  }
  page += (await stack.metrics.render()).text
}

test('every metric of the table is fed somewhere, or its absence has a reason', () => {
  const used = (name: string, family: string): boolean =>
    new RegExp(`\\b${name}\\b`).test(source.others) || source.others.includes(family.replace(/^karpenter_/, ''))
  const idle = Object.entries({ ...metricTable, ...awsMetricTable }).flatMap(([name, { name: family }]) =>
    used(name, family) ? [] : [name],
  )
  expect(idle).toEqual(Object.keys(unfed))
})

test('what a fleet exposes has the names and labels of the table', () => {
  const rows = new Map(allMetricRows().map((row) => [row.name, new Set<string>(row.labels)]))
  const exposed = exposedSeries(page).filter(({ name }) => !ofLibraries.test(name))
  expect(exposed.length).toBeGreaterThan(100)
  const prefixes = new Set(exposed.map(({ name }) => name.split('_')[0]))
  expect(prefixes).toEqual(new Set(['joinery', 'karpenter', 'operator']))
  const wrong = exposed.filter(({ name, labels }) => !sameLabels(rows.get(familyOf(name, rows)), labels))
  expect([...new Set(wrong.map(({ name, labels }) => `${name}{${labels.join()}}`))]).toEqual([])
})

test('a scale-up, a roll and a consolidation feed the metrics that dashboards and alerts are made of', () => {
  const names = new Set(exposedSeries(page).map(({ name }) => name))
  const wanted = [
    'karpenter_nodeclaims_created_total',
    'karpenter_nodeclaims_terminated_total',
    'karpenter_nodeclaims_disrupted_total',
    'karpenter_nodes_created_total',
    'karpenter_nodes_drained_total',
    'karpenter_pods_state',
    'karpenter_pods_startup_duration_seconds_count',
    'karpenter_nodepools_usage',
    'karpenter_nodepools_allowed_disruptions',
    'karpenter_voluntary_disruption_decisions_total',
    'karpenter_voluntary_disruption_eligible_nodes',
    'karpenter_scheduler_scheduling_duration_seconds_count',
    'karpenter_scheduler_queue_depth',
    'karpenter_scheduler_pending_pods_by_effective_zone_count',
    'karpenter_cluster_state_node_count',
    'karpenter_cloudprovider_duration_seconds_count',
    'operator_nodeclaim_status_condition_count',
    'operator_status_condition_transitions_total',
    'leader_election_master_status',
  ]
  expect(wanted.filter((name) => !names.has(name))).toEqual([])
})

test('every event published has the reason, type, object and message of a row', () => {
  expect(seen.length).toBeGreaterThan(100)
  const unknown = seen.filter((event) => rowOf(event) === undefined)
  expect([...new Set(unknown.map((event) => JSON.stringify(event)))]).toEqual([])
})

test('a scale-up, a roll and a consolidation show their events', () => {
  const reasons = new Set(seen.map(({ reason }) => reason))
  const wanted = [
    'Nominated',
    'Launched',
    'DisruptionWaitingReadiness',
    'DisruptionTerminating',
    'DisruptionLaunching',
    'Evicted',
    'Finalized',
  ]
  expect(wanted.filter((reason) => !reasons.has(reason))).toEqual([])
})

test('every reason of the event table is published somewhere, or its absence has a reason', () => {
  const named = [...new Set(eventTable.map(({ reason }) => reason))].filter((reason) => /^[A-Z]/.test(reason))
  const idle = named.filter((reason) => !source.withoutEventTable.includes(`'${reason}'`))
  expect(idle).toEqual(Object.keys(unemitted))
})

test('a message with another wording, type or object belongs to no row', () => {
  const event = { reason: 'Nominated', type: 'Normal', kind: 'Pod', message: 'Pod should schedule on: node/a' }
  expect(rowOf(event)?.reason).toBe('Nominated')
  expect(rowOf({ ...event, message: 'Pod should go to: node/a' })).toBeUndefined()
  expect(rowOf({ ...event, type: 'Warning' })).toBeUndefined()
  expect(rowOf({ ...event, kind: 'Node' })).toBeUndefined()
  expect(rowOf({ ...event, reason: 'Nomination' })).toBeUndefined()
})

test('docs/events.md is made from the table', () => {
  expect(readFileSync(join(root, 'docs/events.md'), 'utf8')).toBe(eventsPage())
})

interface Exposed {
  readonly name: string
  readonly labels: readonly string[]
}

function exposedSeries(text: string): Exposed[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? /.exec(line) ?? []
    if (name === undefined) return []
    return [{ name, labels: [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label = '']) => label) }]
  })
}

function familyOf(series: string, rows: ReadonlyMap<string, unknown>): string {
  return rows.has(series) ? series : series.replace(/_(bucket|sum|count)$/, '')
}

function sameLabels(wanted: ReadonlySet<string> | undefined, labels: readonly string[]): boolean {
  const own = labels.filter((label) => label !== 'le' && label !== 'quantile')
  return wanted !== undefined && own.length === wanted.size && own.every((label) => wanted.has(label))
}

function readSource(folder: string): { readonly others: string; readonly withoutEventTable: string } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const read = (skipped: RegExp): string =>
    files
      .filter((file) => !skipped.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
  return { others: read(/(metric-table|metrics-page)\.ts$/), withoutEventTable: read(/(event-table|events-page)\.ts$/) }
}
