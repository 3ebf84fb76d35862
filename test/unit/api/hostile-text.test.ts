import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../src/api/custom-resource-definition.ts'
import { parseCron } from '../../../src/api/cron.ts'
import { parseDuration, parseNillableDuration } from '../../../src/api/duration.ts'
import { parseExactQuantity } from '../../../src/api/exact-quantity.ts'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { labelValueErrors, qualifiedNameErrors } from '../../../src/api/qualified-name.ts'
import { kubeletErrors } from '../../../src/api/runtime-validation/index.ts'
import { celVersion } from '../../../src/api/validation/cel-library.ts'
import { ownerReferenceErrors } from '../../../src/api/validation/owner-references.ts'
import { failedFormat } from '../../../src/api/validation/formats.ts'
import { schemaPattern } from '../../../src/api/validation/patterns.ts'
import {
  type ParseResult,
  parseEC2NodeClass,
  parseInstanceTypeCatalog,
  parseNodePool,
} from '../../../src/api/validators.ts'
import { parseRFC3339, parseTimestamp } from '../../../src/model/clock.ts'
import { tryParseQuantity } from '../../../src/model/quantity.ts'
import { parsePriceChange } from '../../../src/scheduling/node-overlay.ts'
import { processorMs } from '../../support/processor-time.ts'

/*
 * Objects come from anybody who may write them, and one thread reads them all. Each text here takes some milliseconds to refuse, but minutes
 * or for ever with an expression or a loop that goes back over what it has read.
 */
const lengthMax = 10_000
const hostile = [
  `${' '.repeat(lengthMax)}\n`,
  `${'1'.repeat(lengthMax)}x`,
  `${'a'.repeat(lengthMax)}!`,
  `${'a.'.repeat(lengthMax / 2)}!`,
  `${'1h'.repeat(lengthMax / 2)}!`,
  `${'x '.repeat(lengthMax / 2)}\n`,
  `+${'.1'.repeat(lengthMax / 2)}%`,
]
/** Of processor time; about twenty times what the slowest takes. */
const boundMs = 1_000

function isVersion(text: string): boolean {
  try {
    celVersion(text)
    return true
  } catch {
    return false
  }
}

function patternsOf(schema: StructuralSchema): string[] {
  const { pattern, properties = {}, additionalProperties, items, allOf = [], anyOf = [] } = schema
  const parts = [...Object.values(properties), ...allOf, ...anyOf, ...(items === undefined ? [] : [items])]
  if (typeof additionalProperties === 'object') parts.push(additionalProperties)
  return [...(pattern === undefined ? [] : [pattern]), ...parts.flatMap(patternsOf)]
}

const patterns = new Set(
  customResourceDefinitions
    .flatMap(({ spec }) => spec.versions)
    .flatMap(({ schema }) => (schema?.openAPIV3Schema === undefined ? [] : patternsOf(schema.openAPIV3Schema))),
)

describe('no text makes a pattern of a schema slow', () => {
  test.each([...patterns])('%s', async (pattern) => {
    const ms = await processorMs(() => {
      for (const text of hostile) schemaPattern(pattern).test(text)
    })
    expect(ms).toBeLessThan(boundMs)
  })

  test('which are those of all kinds', () => {
    expect(patterns.size).toBeGreaterThan(20)
  })
})

describe('no text makes a parser of single values slow', () => {
  const length = 40_000
  const texts: Record<string, string> = {
    'spaces between fields': `* * * *${' '.repeat(length)}*`,
    'spaces before them': `${' '.repeat(length)}* * * * *`,
    digits: `${'1'.repeat(length)}x`,
    zeros: `${'0'.repeat(length)}x`,
    'digits of a fraction': `0.${'1'.repeat(length)}x`,
    'a percentage': `${'1'.repeat(length)}x%`,
    'many hours': `${'0h'.repeat(length / 2)}!`,
    'a long name': `${'a.'.repeat(length / 2)}!`,
  }
  const parsers: Record<string, (text: string) => unknown> = {
    'a schedule': parseCron,
    'a duration': parseDuration,
    'a duration or Never': parseNillableDuration,
    'a quantity': tryParseQuantity,
    'an exact quantity': parseExactQuantity,
    'a change of price': (priceAdjustment) => parsePriceChange({ requirements: [], priceAdjustment }),
    'a time that a machine wrote': parseTimestamp,
    'a time that people wrote': parseRFC3339,
    'what a schema calls a date': (text) => failedFormat('date-time', text),
    'a version': (text) => isVersion(`1.0.0-${text}`),
    'a name': qualifiedNameErrors,
    'the value of a label': labelValueErrors,
    'a kubelet configuration': (text) => kubeletErrors({ evictionHard: { 'memory.available': text } }),
  }
  const cases = Object.keys(parsers).flatMap((parser) => Object.keys(texts).map((text) => [parser, text] as const))
  test.each(cases)('%s: %s', async (parser, text) => {
    expect(await processorMs(() => parsers[parser]?.(texts[text] ?? ''))).toBeLessThan(boundMs)
  })

  /** What an object's annotations may hold, read with every look at its pod. */
  const annotationLength = 250_000
  const durations: Record<string, readonly string[]> = {
    'a hundred with many digits behind the point': Array.from(
      { length: 100 },
      (_, index) => `0.${'7'.repeat(annotationLength - index)}h`,
    ),
    'one of many parts, a hundred times': Array.from({ length: 100 }, () => '1h'.repeat(annotationLength / 2)),
  }
  test.each(Object.entries(durations))('of durations as long as annotations may be: %s', async (_which, each) => {
    expect(await processorMs(() => each.map(parseDuration))).toBeLessThan(boundMs)
  })
})

describe('no text makes the check of a shape slow', () => {
  const nodePool = (text: string) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'p' },
    spec: {
      disruption: { consolidateAfter: text, budgets: [{ nodes: text, schedule: text, duration: text }] },
      template: {
        metadata: { labels: { [text]: text } },
        spec: {
          expireAfter: text,
          nodeClassRef: { group: text, kind: text, name: text },
          requirements: [{ key: text, operator: 'In', values: [text] }],
          taints: [{ key: text, value: text, effect: 'NoSchedule' }],
        },
      },
    },
  })
  const nodeClass = (text: string) => ({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'c' },
    spec: {
      amiSelectorTerms: [{ alias: text }, { id: text }],
      subnetSelectorTerms: [{ id: text }],
      securityGroupSelectorTerms: [{ id: text }],
      blockDeviceMappings: [{ ebs: { volumeSize: text } }],
      kubelet: { evictionSoft: { [text]: text }, kubeReserved: { [text]: text } },
    },
  })
  const catalogue = (text: string) => ({
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'InstanceTypeCatalog',
    metadata: { name: 'c' },
    instanceTypes: [
      {
        name: text,
        capacity: { [text]: text },
        requirements: [{ key: text, operator: 'In', values: [text] }],
        offerings: [{ price: 1, requirements: [{ key: text, operator: 'In', values: [text] }] }],
      },
    ],
  })
  const parsers: Record<string, (text: string) => ParseResult<object>> = {
    'of a NodePool': (text) => parseNodePool(nodePool(text)),
    'of an EC2NodeClass': (text) => parseEC2NodeClass(nodeClass(text)),
    'of an InstanceTypeCatalog': (text) => parseInstanceTypeCatalog(catalogue(text)),
  }
  test.each(Object.entries(parsers))('%s', async (_name, parse) => {
    for (const text of hostile) {
      let result: ParseResult<object> | undefined
      expect(await processorMs(() => (result = parse(text)))).toBeLessThan(boundMs)
      const messages = result?.kind === 'invalid' ? result.errors.map(({ message }) => message) : []
      expect(messages).toContainEqual(expect.stringMatching(/^must match pattern/))
    }
  })
})

describe('no list is looked through again for each of its items', () => {
  const count = 80_000
  const entries = (length: number, value: string) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, value]))

  test('eviction signals and their grace periods', async () => {
    const msFor = (length: number): Promise<number> =>
      processorMs(() => {
        const [evictionSoft, evictionSoftGracePeriod] = [entries(length, '1'), entries(length, '1s')]
        expect(kubeletErrors({ evictionSoft, evictionSoftGracePeriod })).toHaveLength(2 * length)
      })
    const few = await msFor(count / 8)
    // Looking through the others again for each would take sixty-four times as long.
    expect(await msFor(count)).toBeLessThan(24 * few)
  })

  test('owners, all of which each error quotes, that call themselves controllers', () => {
    const owner = (index: number) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `p${index}`,
      uid: `${index}`,
      controller: true,
    })
    const owners = (length: number) => Array.from({ length }, (_, index) => owner(index))
    expect(ownerReferenceErrors(owners(50))).toHaveLength(49)
    const errors = ownerReferenceErrors(owners(count))
    expect(errors.length).toBeGreaterThan(0)
    expect(JSON.stringify(errors).length).toBeLessThan(3 * JSON.stringify(JSON.stringify(owners(count))).length)
  })
})
