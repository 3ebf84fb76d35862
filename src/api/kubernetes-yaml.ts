import {
  type Document,
  isAlias,
  isCollection,
  isScalar,
  type Node,
  Scalar,
  type ScalarTag,
  type SchemaOptions,
  type Tags,
  visit,
} from 'yaml'
import { stringifyNumber } from 'yaml/util'

/** A place in a document at which Kubernetes' tools refuse to go on. */
export interface UnreadablePlace {
  /** Characters from the start of the text. */
  readonly offset: number
  readonly message: string
}

const trueWords = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/
const boolWords = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON|n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/
/** Underscores mean nothing in numbers, wherever they stand; only not at the start. */
const integer =
  /^(?!_)[-+]?_*(?:0_*[xX][0-9a-fA-F_]*[0-9a-fA-F]_*|0_*[bB][01_]*[01]_*|0_*[oO][0-7_]*[0-7]_*|0[0-7_]*|[1-9][0-9_]*)$/
const decimal = /^(?!_)[-+]?(?:_*\.[0-9_]*[0-9]_*|_*[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE]_*[-+]?[0-9_]*[0-9]_*)?$/
const notFinite = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/

const bool: ScalarTag = {
  identify: (value) => typeof value === 'boolean',
  default: true,
  tag: 'tag:yaml.org,2002:bool',
  test: boolWords,
  resolve: (text) => new Scalar(trueWords.test(text)),
  stringify: ({ source, value }) =>
    source !== undefined && boolWords.test(source) && trueWords.test(source) === value ? source : String(value),
}

const int: ScalarTag = {
  identify: (value) => Number.isInteger(value),
  default: true,
  tag: 'tag:yaml.org,2002:int',
  test: integer,
  resolve: (text) => new Scalar(integerOf(text)),
  stringify: asWritten(integer, integerOf),
}

const float: ScalarTag = {
  identify: (value) => typeof value === 'number',
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: decimal,
  // What is too large to be a number is text.
  resolve: (text) => new Scalar(Number.isFinite(decimalOf(text)) ? decimalOf(text) : text),
  stringify: asWritten(decimal, decimalOf),
}

const infinite: ScalarTag = {
  identify: (value) => typeof value === 'number',
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: notFinite,
  resolve: () => new Scalar(Number.NaN),
  stringify: stringifyNumber,
}

/** Text that was written as base64, so not a value of another type. */
const binary: ScalarTag = {
  identify: () => false,
  default: false,
  tag: 'tag:yaml.org,2002:binary',
  resolve: (text) => new Scalar(Buffer.from(text, 'base64').toString('utf8')),
}

const replaced = new Set(['bool', 'int', 'float'].map((name) => `tag:yaml.org,2002:${name}`))

/**
 * Options for the parser and the printer, so that plain words and numbers are what sigs.k8s.io/yaml makes of them, which kubectl, Argo CD,
 * Flux and Helm read and write with: `yes`, `on` and `n` are booleans and `010` is eight, as in YAML 1.1, but `1:30` and dates are text.
 * Observed with kubectl 1.32.
 */
export const kubernetesYAML: SchemaOptions = {
  merge: true,
  customTags: (tags: Tags): Tags => [
    ...tags.filter((tag) => typeof tag === 'string' || !replaced.has(tag.tag)),
    bool,
    int,
    float,
    infinite,
    binary,
  ],
}

/** What parses as YAML, and cannot be the JSON that an API server is sent. Keys that come twice are among it: the parser compares each with all. */
export function unreadablePlaces(document: Document.Parsed): readonly UnreadablePlace[] {
  const places: UnreadablePlace[] = []
  const report = (node: Node | null, message: string): void => {
    places.push({ offset: node?.range?.[0] ?? 0, message })
  }
  visit(document, {
    Pair(_, { key }) {
      if (isCollection(key) || (isAlias(key) && isCollection(key.resolve(document)))) {
        const isTemplate = isCollection(key) && key.flow === true
        report(key, `a key must be text, not a collection${isTemplate ? '; render templates first' : ''}`)
        return visit.SKIP
      }
      if (isScalar(key) && key.value === null) report(key, 'a key is missing')
      return undefined
    },
    Map(_, { items }) {
      const known = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (known.has(key.value)) report(key, `the key ${keyText(key)} comes twice: only one of them would count`)
        known.add(key.value)
      }
    },
    Scalar(_, node) {
      if (typeof node.value === 'number' && !Number.isFinite(node.value))
        report(node, 'this number has no place in JSON')
    },
  })
  return places
}

/** As it is written, in a line. */
function keyText({ value, source, type }: Scalar): string {
  if (type === Scalar.QUOTE_DOUBLE) return JSON.stringify(value)
  return type === Scalar.QUOTE_SINGLE ? `'${String(value)}'` : (source ?? String(value))
}

function integerOf(text: string): number {
  const [, sign = '', prefix = '', digits = ''] = /^([-+]?)(0[xX]|0[bB]|0[oO]?(?=.))?(.*)$/.exec(plain(text)) ?? []
  const base = { x: 16, b: 2, o: 8, '0': 8 }[prefix.slice(-1).toLowerCase()] ?? 10
  const amount = base === 10 ? Number(digits) : Number.parseInt(digits, base)
  return sign === '-' && amount !== 0 ? -amount : amount
}

function decimalOf(text: string): number {
  return Number(plain(text))
}

function plain(text: string): string {
  return text.replaceAll('_', '')
}

/** Keeps the way in which a number was written as long as it is the same number. */
function asWritten(pattern: RegExp, valueOf: (text: string) => number): NonNullable<ScalarTag['stringify']> {
  return (item) =>
    item.source !== undefined && pattern.test(item.source) && valueOf(item.source) === item.value
      ? item.source
      : stringifyNumber(item)
}
