import { expect, test } from 'vitest'
import { allMetricRows, defineMetrics } from '../../../src/controllers/metric-table.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

test('a family is rendered with its labels, and asking for it again gives the same one', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const definition = { name: 'karpenter_x_total', help: 'x', labels: ['a'] }
  metrics.counter(definition).increment({ a: '1' })
  metrics.counter(definition).increment({ a: '1' }, 2)
  expect((await metrics.render()).text).toContain('karpenter_x_total{a="1"} 3')
})

test('gauges can be removed by part of their labels', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const gauge = metrics.gauge({ name: 'g', help: 'g', labels: ['a', 'b'] })
  gauge.set({ a: '1', b: '1' }, 1)
  gauge.set({ a: '1', b: '2' }, 1)
  gauge.set({ a: '2', b: '1' }, 1)
  gauge.removeMatching({ a: '1' })
  const { text } = await metrics.render()
  expect(text).not.toContain('a="1"')
  expect(text).toContain('g{a="2",b="1"} 1')
})

test('a gauge without labels is zero until it is set; series print their labels in the order of the definition', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const plain = metrics.gauge({ name: 'plain', help: 'p', labels: [] })
  expect((await metrics.render()).text).toContain('plain 0')
  plain.set({}, 3)
  const labelled = metrics.gauge({ name: 'labelled', help: 'l', labels: ['b', 'a'] })
  labelled.set({ a: '1', b: '' }, 1)
  labelled.set({ b: '', a: '1' }, 2)
  labelled.set({ a: '', b: '1' }, 4)
  const { text } = await metrics.render()
  expect(text).toContain('plain 3')
  expect(text.split('\n').filter((line) => line.startsWith('labelled{'))).toEqual([
    'labelled{b="",a="1"} 2',
    'labelled{b="1",a=""} 4',
  ])
})

test('a gauge can be told where to read its value, and reads it each time it is printed', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  let age = 1
  metrics.gauge({ name: 'age', help: 'a', labels: ['of'] }).set({ of: 'node' }, () => age)
  expect((await metrics.render()).text).toContain('age{of="node"} 1')
  age = 2
  expect((await metrics.render()).text).toContain('age{of="node"} 2')
})

test('summaries publish their quantiles, histograms their buckets', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  metrics.summary({ name: 's', help: 's', labels: [], quantiles: [0, 0.5, 1] }).observe({}, 4)
  metrics.histogram({ name: 'h', help: 'h', labels: [], buckets: [1, 5] }).observe({}, 4)
  const { text } = await metrics.render()
  expect(text).toContain('s{quantile="0.5"} 4')
  expect(text).toContain('h_bucket{le="1"} 0')
  expect(text).toContain('h_bucket{le="5"} 1')
})

test('every metric of the table can be defined, names are unique and labels that are left out are empty', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const table = defineMetrics(metrics)
  table.nodeClaimsDisrupted.increment({ reason: 'expired', nodepool: 'p' })
  const { text } = await metrics.render()
  expect(text).toContain(
    'karpenter_nodeclaims_disrupted_total{reason="expired",nodepool="p",capacity_type="",consolidation_policy="",termination_mode=""} 1',
  )
  expect(text).toContain('karpenter_voluntary_disruption_consolidation_timeouts_total{consolidation_type="multi"} 0')
  const names = allMetricRows().map((row) => row.name)
  expect(new Set(names).size).toBe(names.length)
})

test('series that are read from a source appear beside those that were set, as the source has them each time', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const gauge = metrics.gauge({ name: 'g', help: 'g', labels: ['a', 'b'] })
  const pods = new Map([['one', 1]])
  gauge.set({ a: 'set', b: '' }, 7)
  gauge.readFrom(() => [...pods].map(([a, value]) => ({ labels: { a }, value })))
  gauge.readFrom(() => [{ labels: { b: 'other' }, value: 0 }])
  const lines = async () => (await metrics.render()).text.split('\n').filter((line) => line.startsWith('g{'))
  expect(await lines()).toEqual(['g{a="set",b=""} 7', 'g{a="one",b=""} 1', 'g{a="",b="other"} 0'])
  pods.delete('one')
  expect(await lines()).toEqual(['g{a="set",b=""} 7', 'g{a="",b="other"} 0'])
})

test('values and help are escaped and numbers written as the text format has them', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const gauge = metrics.gauge({ name: 'g', help: 'one\ntwo \\', labels: ['a'] })
  gauge.set({ a: 'quote " backslash \\ line\n' }, Number.POSITIVE_INFINITY)
  gauge.set({ a: 'low' }, Number.NEGATIVE_INFINITY)
  gauge.set({ a: 'none' }, Number.NaN)
  expect((await metrics.render()).text.split('\n').slice(0, 5)).toEqual([
    String.raw`# HELP g one\ntwo \\`,
    '# TYPE g gauge',
    String.raw`g{a="quote \" backslash \\ line\n"} +Inf`,
    'g{a="low"} -Inf',
    'g{a="none"} NaN',
  ])
})

test('a large family comes in pieces that together are the whole text', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const gauge = metrics.gauge({ name: 'g', help: 'g', labels: ['a'] })
  gauge.readFrom(() => Array.from({ length: 1_200 }, (_, index) => ({ labels: { a: String(index) }, value: index })))
  const pieces: string[] = []
  for await (const piece of metrics.pieces()) pieces.push(piece)
  expect(pieces).toHaveLength(3)
  expect(pieces.join('')).toBe((await metrics.render()).text)
  expect(pieces.join('').match(/^g\{/gm)).toHaveLength(1_200)
})

test('a histogram counts a value in every bucket that holds it; a bound belongs to its bucket', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const histogram = metrics.histogram({ name: 'h', help: 'h', labels: ['of'], buckets: [0.005, 1, 5] })
  for (const value of [0, 0.005, 0.006, 5, 6]) histogram.observe({ of: 'a' }, value)
  histogram.observe({ of: 'b' }, 2)
  const { text } = await metrics.render()
  expect(text.split('\n').filter((line) => line.startsWith('h_'))).toEqual([
    'h_bucket{le="0.005",of="a"} 2',
    'h_bucket{le="1",of="a"} 3',
    'h_bucket{le="5",of="a"} 4',
    'h_bucket{le="+Inf",of="a"} 5',
    `h_sum{of="a"} ${0 + 0.005 + 0.006 + 5 + 6}`,
    'h_count{of="a"} 5',
    'h_bucket{le="0.005",of="b"} 0',
    'h_bucket{le="1",of="b"} 0',
    'h_bucket{le="5",of="b"} 1',
    'h_bucket{le="+Inf",of="b"} 1',
    'h_sum{of="b"} 2',
    'h_count{of="b"} 1',
  ])
})

test('a counter does not go back, and what is no number is not observed', () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const counter = metrics.counter({ name: 'c_total', help: 'c', labels: [] })
  expect(() => counter.increment({}, -1)).toThrow(RangeError)
  const histogram = metrics.histogram({ name: 'h', help: 'h', labels: [], buckets: [1] })
  expect(() => histogram.observe({}, Number.NaN)).toThrow(RangeError)
})

test('a family that cannot be read is left out, and told of once; the others are there', async () => {
  const log = recordingLogger()
  const metrics = createPrometheusMetrics({ processMetrics: false, log })
  metrics.gauge({ name: 'before', help: 'b', labels: [] }).set({}, 1)
  metrics.gauge({ name: 'broken', help: 'b', labels: [] }).readFrom(() => {
    throw new RangeError('Maximum call stack size exceeded')
  })
  metrics.gauge({ name: 'after', help: 'a', labels: [] }).set({}, 2)
  for (let scrape = 0; scrape < 2; scrape += 1) {
    const { text } = await metrics.render()
    expect(text).toContain('before 1')
    expect(text).toContain('after 2')
    expect(text).not.toContain('broken')
  }
  expect(log.lines).toEqual([
    expect.objectContaining({ level: 'error', fields: { err: expect.any(RangeError), metric: 'broken' } }),
  ])
})
