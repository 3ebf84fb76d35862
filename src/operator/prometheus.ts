import * as prom from 'prom-client'
import { type Logger, silentLogger } from '../kube/logger.ts'
import type { Counter, Gauge, Histogram, MetricDefinition, Metrics } from '../kube/metrics.ts'
import { CounterSeries, escaped, GaugeSeries, HistogramSeries, type Line } from './metric-series.ts'

export interface PrometheusMetrics extends Metrics {
  readonly contentType: string
  /** Every family in the text format, in pieces: of a large cluster it is tens of megabytes, which nobody should hold at once. */
  pieces(): AsyncIterable<string>
  /** The whole text. */
  render(): Promise<{ readonly contentType: string; readonly text: string }>
}

/** How long a summary looks back, as Go's client does. */
const summaryAgeSeconds = 600
const summaryAgeBuckets = 5

/** Defining a family again gives the same one: several controllers may feed it. */
export function createPrometheusMetrics(options: {
  readonly processMetrics: boolean
  /** Told of families that cannot be read. */
  readonly log?: Logger
}): PrometheusMetrics {
  const registry = new prom.Registry()
  if (options.processMetrics) prom.collectDefaultMetrics({ register: registry })
  const broken = new BrokenFamilies(options.log ?? silentLogger)
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
      const make = () => new OwnFamily(common(definition), 'counter', new CounterSeries(definition.labels))
      return family(definition, make).series
    },
    gauge(definition): Gauge {
      const make = () => new OwnFamily(common(definition), 'gauge', new GaugeSeries(definition.labels))
      return family(definition, make).series
    },
    histogram(definition): Histogram {
      const { labels, buckets } = definition
      const make = () => new OwnFamily(common(definition), 'histogram', new HistogramSeries(labels, buckets))
      return family(definition, make).series
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
    contentType: registry.contentType,
    pieces: () => piecesOf(registry, broken),
    render: async () => {
      let text = ''
      for await (const piece of piecesOf(registry, broken)) text += piece
      return { contentType: registry.contentType, text }
    },
  }
}

/** A family that cannot be read is left out, or ends where it failed: the answer has begun, and whoever scrapes wants the others. */
async function* piecesOf(registry: prom.Registry, broken: BrokenFamilies): AsyncGenerator<string> {
  for (const metric of registry.getMetricsAsArray()) {
    try {
      if (metric instanceof OwnFamily) yield* metric.pieces()
      else yield `${await registry.getSingleMetricAsString(metric.name)}\n\n`
    } catch (error) {
      broken.tell(metric.name, error)
    }
  }
}

/** What cannot be read once can hardly be read in the next scrape: each family is told of once. */
class BrokenFamilies {
  readonly #log: Logger
  readonly #told = new Set<string>()

  constructor(log: Logger) {
    this.#log = log
  }

  tell(family: string, error: unknown): void {
    if (this.#told.has(family)) return
    this.#told.add(family)
    this.#log.error({ err: error, metric: family }, 'failed reading metric, leaving it out')
  }
}

/** Some hundred kilobytes: enough to be sent in one go, and little enough that other work has its turn between two of them. */
const linesPerPiece = 500

/** A family of the client's registry that counts and prints its series itself. */
class OwnFamily<Series extends { lines(): Iterable<Line> }> extends prom.Gauge {
  readonly series: Series
  readonly #heading: string
  readonly #name: string

  constructor(configuration: prom.GaugeConfiguration<string>, type: string, series: Series) {
    super(configuration)
    const { name, help } = configuration
    this.series = series
    this.#name = name
    this.#heading = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n`
  }

  *pieces(): Generator<string> {
    let piece = this.#heading
    let count = 0
    for (const { suffix, labels, value } of this.series.lines()) {
      piece += `${this.#name}${suffix}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`
      count += 1
      if (count % linesPerPiece !== 0) continue
      yield piece
      piece = ''
    }
    yield `${piece}\n`
  }
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
