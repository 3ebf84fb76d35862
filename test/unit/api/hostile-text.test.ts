import { describe, expect, test } from 'vitest'
import type { StructuralSchema } from '../../../src/api/custom-resource-definition.ts'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { schemaPattern } from '../../../src/api/validation/patterns.ts'
import {
  type ParseResult,
  parseEC2NodeClass,
  parseInstanceTypeCatalog,
  parseNodePool,
} from '../../../src/api/validators.ts'

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
/** About twenty times what the slowest takes on a machine that has other work. */
const boundMs = 1_000

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
  test.each([...patterns])('%s', (pattern) => {
    const from = performance.now()
    for (const text of hostile) schemaPattern(pattern).test(text)
    expect(performance.now() - from).toBeLessThan(boundMs)
  })

  test('which are those of all kinds', () => {
    expect(patterns.size).toBeGreaterThan(20)
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
  test.each(Object.entries(parsers))('%s', (_name, parse) => {
    for (const text of hostile) {
      const from = performance.now()
      const result = parse(text)
      expect(performance.now() - from).toBeLessThan(boundMs)
      const messages = result.kind === 'invalid' ? result.errors.map(({ message }) => message) : []
      expect(messages).toContainEqual(expect.stringMatching(/^must match pattern/))
    }
  })
})
