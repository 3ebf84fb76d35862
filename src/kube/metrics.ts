/** Where controllers count and measure. One family per name; label names are fixed when the family is defined. */
export interface Metrics {
  counter(definition: MetricDefinition): Counter
  gauge(definition: MetricDefinition): Gauge
  histogram(definition: MetricDefinition & { readonly buckets: readonly number[] }): Histogram
  summary(definition: MetricDefinition & { readonly quantiles: readonly number[] }): Histogram
}

export interface MetricDefinition {
  /** With its prefix, e.g. `karpenter_nodeclaims_created_total`. */
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

export type MetricLabels = Readonly<Record<string, string>>

export interface Counter {
  increment(labels?: MetricLabels, by?: number): void
}

/** What a gauge shows: a number, or where to read it whenever somebody looks. Ages are read, so that nobody has to keep them fresh. */
export type GaugeValue = number | (() => number)

/** What one series of a gauge shows now. A label that is left out is published as an empty text. */
export interface GaugeReading {
  readonly labels: MetricLabels
  readonly value: number
}

export interface Gauge {
  set(labels: MetricLabels, value: GaugeValue): void
  remove(labels: MetricLabels): void
  /** Drops every series whose labels include these. */
  removeMatching(labels: MetricLabels): void
  /**
   * Shows what the source gives, each time somebody looks, beside what was set. For series by the thousand, one for each pod or node:
   * nothing has to be kept of them, and no event has to keep them true.
   */
  readFrom(source: GaugeSource): void
}

export type GaugeSource = () => Iterable<GaugeReading>

export interface Histogram {
  observe(labels: MetricLabels, value: number): void
}
