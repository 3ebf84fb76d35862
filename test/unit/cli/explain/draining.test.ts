import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { catalogue, deletedAt, disrupted, disruptedFor, explained, machine, pod, pool } from './world.ts'

const stuckDrain =
  pool() +
  machine('n1', {
    conditions: disruptedFor('Drifted'),
    taints: disrupted,
    deleted: deletedAt,
    claim: ', annotations: {karpenter.sh/nodeclaim-termination-timestamp: "2026-01-02T01:00:00Z"}',
  }) +
  ['web-1', 'web-2']
    .map((name) => pod(name, { labels: '{app: web}', more: 'nodeName: n1\n  terminationGracePeriodSeconds: 60' }))
    .join('') +
  pod('batch', { more: 'nodeName: n1', annotations: '{karpenter.sh/do-not-disrupt: "true"}' }) +
  pod('going', { more: 'nodeName: n1', metadata: 'deletionTimestamp: "2026-01-02T00:00:20Z", ' }) +
  pod('stuck', {
    more: 'nodeName: n1',
    metadata: 'deletionTimestamp: "2026-01-01T23:59:30Z", finalizers: [example.com/backup], ',
  }) +
  pod('free', { more: 'nodeName: n1' }) +
  `---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web, namespace: shop}
spec: {minAvailable: 5, selector: {matchLabels: {app: web}}}
status: {disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 5}
`

test('of a node that drains each pod that waits is told with what holds it, and when the patience ends', async () => {
  const { summary, facts, reasons } = await explained('node', 'n1', stuckDrain)
  expect(summary).toBe('The node is draining: it still waits for 6 pods, of which something holds 4.')
  expect(facts.find(({ name }) => name === 'drain deadline')?.value).toBe(
    '2026-01-02T01:00:00Z, in 1h0m0s: no pod outlives that, whatever holds it',
  )
  const told = reasons.map(({ about, outcome, code, message }) => [about, outcome, code, message].join(' | '))
  const pdb =
    'PodDisruptionBudget shop/web allows no eviction now (2 pods are healthy, it wants 5), deleted anyway at 2026-01-02T00:59:00Z'
  expect(told).toEqual([
    'Drifted | allows | Deleting | it is being deleted since 2026-01-01T23:00:00Z',
    'pod shop/stuck | blocks | Finalizers | its grace period ended at 2026-01-01T23:59:30Z, finalizers hold it: example.com/backup; a minute later the drain goes on without it',
    `pod shop/web-1 | blocks | PDBBlocked | ${pdb}`,
    `pod shop/web-2 | blocks | PDBBlocked | ${pdb}`,
    'pod shop/batch | blocks | PodDoNotDisrupt | the annotation karpenter.sh/do-not-disrupt holds it',
    'pod shop/going | idle | Terminating | it is terminating, its grace period lasts until 2026-01-02T00:00:20Z, in 20s',
    'pods | idle | Evicting | nothing holds them, they are being evicted: shop/free',
  ])
})

test('help that several lines in a row have in common stands below the last of them', async () => {
  const now = ['--now', '2026-01-02T00:00:00Z']
  const { stdout } = await runCommand(['explain', 'node', 'n1', '-f', '-', ...now], { stdin: catalogue + stuckDrain })
  expect(stdout).toMatch(/^x pod shop\/web-1: .*\nx pod shop\/web-2: .*\n {4}help: .*loosen it/m)
})

test('a pod that has not started, or is not ready while enough others are, is evicted whatever its budgets count', async () => {
  const budget = (name: string) => `---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: ${name}, namespace: shop}
spec: {minAvailable: 2, selector: {matchLabels: {app: ${name}}}}
status: {disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2}
`
  const status = (text: string) => `status: ${text}\n`
  const { summary, reasons } = await explained(
    'node',
    'n1',
    pool() +
      machine('n1', { conditions: disruptedFor('Drifted'), taints: disrupted, deleted: deletedAt }) +
      pod('pulling', { labels: '{app: web}', more: 'nodeName: n1' }) +
      status('{phase: Pending}') +
      pod('crashing', { labels: '{app: web}', more: 'nodeName: n1' }) +
      status('{phase: Running, conditions: [{type: Ready, status: "False"}]}') +
      pod('serving', { labels: '{app: web}', more: 'nodeName: n1' }) +
      status('{phase: Running, conditions: [{type: Ready, status: "True"}]}') +
      budget('web'),
  )
  expect(summary).toBe('The node is draining: it still waits for 3 pods, of which something holds 1.')
  expect(reasons.map(({ about, code }) => `${about} ${code}`)).toEqual([
    'Drifted Deleting',
    'pod shop/serving PDBBlocked',
    'pods Evicting',
  ])
})
