import type { Counter, Gauge, GaugeSource, GaugeValue, Histogram, MetricLabels } from '../kube/metrics.ts'

/** A line of the text format: what follows the family's name, the labels as they are printed, and the number. */
export interface Line {
  readonly suffix: string
  readonly labels: string
  readonly value: number
}

/** In no label's value: Kubernetes and AWS allow printable characters only. */
const separator = '\u0000'

/**
 * What a family keeps of each of its series, by the values of the labels in the order of their names. The client library's own table
 * holds an object of labels for every series, of which there are tens of thousands, and hashes them anew for every event.
 */
class SeriesTable<State> {
  readonly #names: readonly string[]
  readonly states = new Map<string, State>()

  constructor(names: readonly string[]) {
    this.#names = names
  }

  identity(labels: MetricLabels): string {
    let identity = ''
    for (let position = 0; position < this.#names.length; position += 1) {
      if (position > 0) identity += separator
      identity += labels[this.#names[position] ?? ''] ?? ''
    }
    return identity
  }

  /** The series whose labels include these. */
  matching(labels: MetricLabels): readonly string[] {
    const wanted = Object.entries(labels).map(([name, value]) => [this.#names.indexOf(name), value] as const)
    return [...this.states.keys()].filter((identity) => {
      const values = identity.split(separator)
      return wanted.every(([position, value]) => values[position] === value)
    })
  }

  /** The labels of a series as they are printed. */
  text(identity: string): string {
    const values = identity.split(separator)
    return this.#print((position) => values[position])
  }

  textOf(labels: MetricLabels): string {
    return this.#print((_position, name) => labels[name])
  }

  #print(valueOf: (position: number, name: string) => string | undefined): string {
    let text = ''
    for (const [position, name] of this.#names.entries()) {
      text += `${position === 0 ? '' : ','}${name}="${escapedValue(valueOf(position, name) ?? '')}"`
    }
    return text
  }
}

export class CounterSeries implements Counter {
  readonly #table: SeriesTable<number>

  constructor(names: readonly string[]) {
    this.#table = new SeriesTable(names)
    if (names.length === 0) this.#table.states.set('', 0)
  }

  increment(labels: MetricLabels = {}, by = 1): void {
    if (!(by >= 0)) throw new RangeError(`a counter cannot go back: ${by}`)
    const { states } = this.#table
    const identity = this.#table.identity(labels)
    states.set(identity, (states.get(identity) ?? 0) + by)
  }

  *lines(): Generator<Line> {
    for (const [identity, value] of this.#table.states) {
      yield { suffix: '', labels: this.#table.text(identity), value }
    }
  }
}

export class GaugeSeries implements Gauge {
  readonly #table: SeriesTable<GaugeValue>
  readonly #sources: GaugeSource[] = []

  constructor(names: readonly string[]) {
    this.#table = new SeriesTable(names)
    if (names.length === 0) this.#table.states.set('', 0)
  }

  set(labels: MetricLabels, value: GaugeValue): void {
    this.#table.states.set(this.#table.identity(labels), value)
  }

  remove(labels: MetricLabels): void {
    this.#table.states.delete(this.#table.identity(labels))
  }

  removeMatching(labels: MetricLabels): void {
    for (const identity of this.#table.matching(labels)) this.#table.states.delete(identity)
  }

  readFrom(source: GaugeSource): void {
    this.#sources.push(source)
  }

  *lines(): Generator<Line> {
    for (const [identity, value] of this.#table.states) {
      const now = typeof value === 'function' ? value() : value
      yield { suffix: '', labels: this.#table.text(identity), value: now }
    }
    for (const source of this.#sources) {
      for (const { labels, value } of source()) yield { suffix: '', labels: this.#table.textOf(labels), value }
    }
  }
}

interface Observations {
  /** How many fell into each bucket and into none below it; the last holds what is above all bounds. */
  readonly counts: Float64Array
  sum: number
}

export class HistogramSeries implements Histogram {
  readonly #table: SeriesTable<Observations>
  readonly #bounds: readonly number[]

  /** `bounds`: upper bounds of the buckets, rising. */
  constructor(names: readonly string[], bounds: readonly number[]) {
    this.#table = new SeriesTable(names)
    this.#bounds = bounds
    if (names.length === 0) this.#table.states.set('', this.#empty())
  }

  observe(labels: MetricLabels, value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`not a number that can be observed: ${value}`)
    const { states } = this.#table
    const identity = this.#table.identity(labels)
    let observed = states.get(identity)
    if (observed === undefined) {
      observed = this.#empty()
      states.set(identity, observed)
    }
    observed.sum += value
    let bucket = 0
    while (value > (this.#bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    observed.counts[bucket] = (observed.counts[bucket] ?? 0) + 1
  }

  *lines(): Generator<Line> {
    for (const [identity, { counts, sum }] of this.#table.states) {
      const labels = this.#table.text(identity)
      const rest = labels === '' ? '' : `,${labels}`
      let below = 0
      for (const [position, count] of counts.entries()) {
        below += count
        const bound = this.#bounds[position]
        yield { suffix: '_bucket', labels: `le="${bound ?? '+Inf'}"${rest}`, value: below }
      }
      yield { suffix: '_sum', labels, value: sum }
      yield { suffix: '_count', labels, value: below }
    }
  }

  #empty(): Observations {
    return { counts: new Float64Array(this.#bounds.length + 1), sum: 0 }
  }
}

/** The text format's own escapes. */
export function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

const special = /[\\\n"]/

function escapedValue(text: string): string {
  return special.test(text) ? escaped(text).replaceAll('"', '\\"') : text
}
