import * as prom from 'prom-client'
import type { Counter, Gauge, Histogram, MetricDefinition, MetricLabels, Metrics } from '../kube/metrics.ts'

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
      const gauge = family(definition, () => new prom.Gauge(common(definition)))
      return new PrometheusGauge(gauge)
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

/** Prom-client cannot remove by part of the labels, so the label sets in use are remembered here. */
class PrometheusGauge implements Gauge {
  readonly #gauge: prom.Gauge
  readonly #series = new Map<string, MetricLabels>()

  constructor(gauge: prom.Gauge) {
    this.#gauge = gauge
  }

  set(labels: MetricLabels, value: number): void {
    this.#gauge.set(labels, value)
    this.#series.set(identity(labels), labels)
  }

  remove(labels: MetricLabels): void {
    this.#gauge.remove(labels)
    this.#series.delete(identity(labels))
  }

  removeMatching(labels: MetricLabels): void {
    const wanted = Object.entries(labels)
    for (const series of [...this.#series.values()]) {
      if (wanted.every(([name, value]) => series[name] === value)) this.remove(series)
    }
  }
}

function identity(labels: MetricLabels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
