import { durationBuckets, summaryQuantiles } from './metric-buckets.ts'
import type { Counter, Gauge, GaugeReading, GaugeValue, Histogram, MetricLabels, Metrics } from './metrics.ts'

export type Stability = 'stable' | 'beta' | 'alpha' | 'deprecated'

/** One metric family as data: its definition, and what its reference page says. */
export type MetricRow =
  | (RowBase & { readonly type: 'counter' | 'gauge' })
  | (RowBase & { readonly type: 'histogram'; readonly buckets: readonly number[] })
  | (RowBase & { readonly type: 'summary'; readonly quantiles: readonly number[] })

interface RowBase {
  readonly name: string
  readonly labels: readonly string[]
  readonly help: string
  readonly stability: Stability
}

/** A label that is left out is published as an empty text. */
type LabelsOf<Label extends string> = Readonly<Partial<Record<Label, string>>>

interface TypedCounter<Label extends string> {
  increment(labels?: LabelsOf<Label>, by?: number): void
}

interface TypedGauge<Label extends string> {
  set(labels: LabelsOf<Label>, value: GaugeValue): void
  remove(labels: LabelsOf<Label>): void
  /** Drops every series whose labels include these. */
  removeMatching(labels: LabelsOf<Label>): void
  /** Shows what the source gives, each time somebody looks. */
  readFrom(source: () => Iterable<GaugeReading>): void
}

interface TypedHistogram<Label extends string> {
  observe(labels: LabelsOf<Label>, value: number): void
}

type AccessorOf<Row extends MetricRow> = Row['type'] extends 'counter'
  ? TypedCounter<Row['labels'][number]>
  : Row['type'] extends 'gauge'
    ? TypedGauge<Row['labels'][number]>
    : TypedHistogram<Row['labels'][number]>

export type Accessors<Table extends Readonly<Record<string, MetricRow>>> = {
  readonly [Name in keyof Table]: AccessorOf<Table[Name]>
}

/** Defines the families of a table; each is used by the name that its row has there. */
export function defineTable<const Table extends Readonly<Record<string, MetricRow>>>(
  metrics: Metrics,
  table: Table,
): Accessors<Table> {
  const accessors = Object.fromEntries(Object.entries(table).map(([name, row]) => [name, defineRow(metrics, row)]))
  return accessors as Accessors<Table>
}

function defineRow(
  metrics: Metrics,
  row: MetricRow,
): TypedCounter<string> | TypedGauge<string> | TypedHistogram<string> {
  const fill = (labels: LabelsOf<string>): MetricLabels =>
    isFull(labels, row.labels) ? labels : Object.fromEntries(row.labels.map((label) => [label, labels[label] ?? '']))
  switch (row.type) {
    case 'counter':
      return fillingCounter(metrics.counter(row), fill)
    case 'gauge':
      return fillingGauge(metrics.gauge(row), fill)
    case 'histogram':
      return fillingHistogram(metrics.histogram(row), fill)
    case 'summary':
      return fillingHistogram(metrics.summary(row), fill)
  }
}

/** Nearly all are: these are not copied. */
function isFull(labels: LabelsOf<string>, names: readonly string[]): labels is MetricLabels {
  for (const name of names) if (labels[name] === undefined) return false
  return true
}

type Fill = (labels: LabelsOf<string>) => MetricLabels

function fillingCounter(counter: Counter, fill: Fill): TypedCounter<string> {
  return { increment: (labels = {}, by = 1) => counter.increment(fill(labels), by) }
}

function fillingGauge(gauge: Gauge, fill: Fill): TypedGauge<string> {
  return {
    set: (labels, value) => gauge.set(fill(labels), value),
    remove: (labels) => gauge.remove(fill(labels)),
    removeMatching: (labels) => gauge.removeMatching(definedOnly(labels)),
    readFrom: (source) => gauge.readFrom(source),
  }
}

function fillingHistogram(histogram: Histogram, fill: Fill): TypedHistogram<string> {
  return { observe: (labels, value) => histogram.observe(fill(labels), value) }
}

function definedOnly(labels: LabelsOf<string>): MetricLabels {
  return Object.fromEntries(
    Object.entries(labels).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

export function counter<const Label extends string>(
  name: string,
  stability: Stability,
  labels: readonly Label[],
  help: string,
): CounterRow<Label> {
  return { type: 'counter', name: `karpenter_${name}`, stability, labels, help }
}

export function gauge<const Label extends string>(
  name: string,
  stability: Stability,
  labels: readonly Label[],
  help: string,
): GaugeRow<Label> {
  return { type: 'gauge', name: `karpenter_${name}`, stability, labels, help }
}

export function histogram<const Label extends string>(
  name: string,
  stability: Stability,
  labels: readonly Label[],
  buckets: readonly number[],
  help: string,
): HistogramRow<Label> {
  return { type: 'histogram', name: `karpenter_${name}`, stability, labels, buckets, help }
}

/** Of the autoscaler's own work, in seconds. */
export function duration<const Label extends string>(
  name: string,
  stability: Stability,
  labels: readonly Label[],
  help: string,
): HistogramRow<Label> {
  return histogram(name, stability, labels, durationBuckets, help)
}

export function summary<const Label extends string>(
  name: string,
  stability: Stability,
  labels: readonly Label[],
  help: string,
): SummaryRow<Label> {
  return { type: 'summary', name: `karpenter_${name}`, stability, labels, quantiles: summaryQuantiles, help }
}

interface Named<Label extends string> {
  readonly name: string
  readonly labels: readonly Label[]
  readonly help: string
  readonly stability: Stability
}
type CounterRow<Label extends string> = Named<Label> & { readonly type: 'counter' }
type GaugeRow<Label extends string> = Named<Label> & { readonly type: 'gauge' }
type HistogramRow<Label extends string> = Named<Label> & {
  readonly type: 'histogram'
  readonly buckets: readonly number[]
}
type SummaryRow<Label extends string> = Named<Label> & {
  readonly type: 'summary'
  readonly quantiles: readonly number[]
}
