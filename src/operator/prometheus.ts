import * as prom from 'prom-client'
import type {
  Counter,
  Gauge,
  GaugeSource,
  GaugeValue,
  Histogram,
  MetricDefinition,
  MetricLabels,
  Metrics,
} from '../kube/metrics.ts'

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
    contentType: registry.contentType,
    pieces: () => piecesOf(registry),
    render: async () => {
      let text = ''
      for await (const piece of piecesOf(registry)) text += piece
      return { contentType: registry.contentType, text }
    },
  }
}

async function* piecesOf(registry: prom.Registry): AsyncGenerator<string> {
  for (const metric of registry.getMetricsAsArray()) {
    if (metric instanceof CompactGauge) yield* metric.pieces()
    else yield `${await registry.getSingleMetricAsString(metric.name)}\n\n`
  }
}

/** Some hundred kilobytes: enough to be sent in one go, and little enough that other work has its turn between two of them. */
const linesPerPiece = 500

/** A family of the client's that prints its series itself, from our own table. */
class CompactGauge extends prom.Gauge {
  readonly series: GaugeSeries
  readonly #heading: string
  readonly #name: string

  constructor(configuration: prom.GaugeConfiguration<string> & { readonly labelNames: readonly string[] }) {
    super(configuration)
    const { name, help, labelNames } = configuration
    this.series = new GaugeSeries(labelNames)
    this.#name = name
    this.#heading = `# HELP ${name} ${escaped(help)}\n# TYPE ${name} gauge\n`
  }

  *pieces(): Generator<string> {
    let piece = this.#heading
    let lines = 0
    for (const { labels, value } of this.series.readings()) {
      piece += `${this.#name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`
      lines += 1
      if (lines % linesPerPiece !== 0) continue
      yield piece
      piece = ''
    }
    yield `${piece}\n`
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
  readonly #sources: GaugeSource[] = []

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

  readFrom(source: GaugeSource): void {
    this.#sources.push(source)
  }

  /** Every series with its labels as they are printed. */
  *readings(): Generator<{ readonly labels: string; readonly value: number }> {
    for (const [identity, value] of this.#values) {
      const values = identity.split(separator)
      yield {
        labels: this.#labelText((position) => values[position]),
        value: typeof value === 'function' ? value() : value,
      }
    }
    for (const source of this.#sources) {
      for (const { labels, value } of source())
        yield { labels: this.#labelText((_position, name) => labels[name]), value }
    }
  }

  #labelText(valueOf: (position: number, name: string) => string | undefined): string {
    let text = ''
    for (const [position, name] of this.#names.entries()) {
      text += `${position === 0 ? '' : ','}${name}="${escapedValue(valueOf(position, name) ?? '')}"`
    }
    return text
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

/** The text format's own escapes. */
function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

const special = /[\\\n"]/

function escapedValue(text: string): string {
  return special.test(text) ? escaped(text).replaceAll('"', '\\"') : text
}

function numberText(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value)
  return value > 0 ? '+Inf' : '-Inf'
}
