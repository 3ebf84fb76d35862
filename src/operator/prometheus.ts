import * as prom from 'prom-client'
import type { Counter, Gauge, GaugeValue, Histogram, MetricDefinition, MetricLabels, Metrics } from '../kube/metrics.ts'

export interface PrometheusMetrics extends Metrics {
  /** Every family in the text format, and its content type. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** How long a summary looks back, as Go's client does. */
const summaryAgeSeconds = 600
const summaryAgeBuckets = 5

/** Defining a family again gives the same one: several controllers may feed it. */
export function createPrometheusMetrics(options: { readonly processMetrics: boolean }): PrometheusMetrics {
  const registry = new prom.Registry()
  if (options.processMetrics) prom.collectDefaultMetrics({ register: registry })
  const family = <T>(definition: MetricDefinition, create: () => T): T =>
    (registry.getSingleMetric(definition.name) as T | undefined) ?? create()
  const common = ({ name, help, labels }: MetricDefinition) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  })

  return {
    counter(definition): Counter {
      const counter = family(definition, () => new prom.Counter(common(definition)))
      return { increment: (labels = {}, by = 1) => counter.inc(labels, by) }
    },
    gauge(definition): Gauge {
      return family(definition, () => new CompactGauge(common(definition))).series
    },
    histogram(definition): Histogram {
      const histogram = family(
        definition,
        () => new prom.Histogram({ ...common(definition), buckets: [...definition.buckets] }),
      )
      return { observe: (labels, value) => histogram.observe(labels, value) }
    },
    summary(definition): Histogram {
      const summary = family(
        definition,
        () =>
          new prom.Summary({
            ...common(definition),
            percentiles: [...definition.quantiles],
            maxAgeSeconds: summaryAgeSeconds,
            ageBuckets: summaryAgeBuckets,
          }),
      )
      return { observe: (labels, value) => summary.observe(labels, value) }
    },
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  }
}

/** What the client prints of a gauge comes from our own table of series. */
class CompactGauge extends prom.Gauge {
  readonly series: GaugeSeries

  constructor(configuration: prom.GaugeConfiguration<string> & { readonly labelNames: readonly string[] }) {
    super(configuration)
    this.series = new GaugeSeries(configuration.labelNames)
  }

  override async get(): Promise<prom.MetricObjectWithValues<prom.MetricValue<string>>> {
    return { ...(await super.get()), values: this.series.list() }
  }
}

/**
 * A number per series and nothing else: there are tens of thousands of series, one for each offering of each instance type, and the
 * client's own map holds an object of labels for every one of them.
 */
class GaugeSeries implements Gauge {
  readonly #names: readonly string[]
  /** By the values of the labels, in the order of their names. */
  readonly #values = new Map<string, GaugeValue>()

  constructor(names: readonly string[]) {
    this.#names = names
    if (names.length === 0) this.#values.set('', 0)
  }

  set(labels: MetricLabels, value: GaugeValue): void {
    this.#values.set(this.#identity(labels), value)
  }

  remove(labels: MetricLabels): void {
    this.#values.delete(this.#identity(labels))
  }

  removeMatching(labels: MetricLabels): void {
    const wanted = Object.entries(labels).map(([name, value]) => [this.#names.indexOf(name), value] as const)
    for (const identity of [...this.#values.keys()]) {
      const values = identity.split(separator)
      if (wanted.every(([position, value]) => values[position] === value)) this.#values.delete(identity)
    }
  }

  list(): prom.MetricValue<string>[] {
    return Array.from(this.#values, ([identity, value]) => {
      const values = identity.split(separator)
      const now = typeof value === 'function' ? value() : value
      return {
        value: now,
        labels: Object.fromEntries(this.#names.map((name, position) => [name, values[position] ?? ''])),
      }
    })
  }

  #identity(labels: MetricLabels): string {
    let identity = ''
    for (const [position, name] of this.#names.entries()) {
      if (position > 0) identity += separator
      identity += labels[name] ?? ''
    }
    return identity
  }
}

/** In no label's value: Kubernetes and AWS allow printable characters only. */
const separator = '\u0000'
