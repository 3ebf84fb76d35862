import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { knownRegions } from '../../../../src/embedded/aws/catalogue.ts'
import { runCommand } from '../../../support/command-run.ts'
import { aFleetClass, aFleetPool, aMachine, annotated, aPodOn, aWaitingPod } from '../../../support/fleet-objects.ts'

const disruption = {
  consolidateAfter: '0s',
  consolidationPolicy: 'WhenEmptyOrUnderutilized' as const,
  budgets: [{ nodes: '2' }],
}

/** Of a large node with little on it, an empty one, one that is protected and one that has drifted; and a pod too large for them all. */
function snapshotIn(region: string): string {
  const [pool, nodeClass] = [aFleetPool({ disruption }), aFleetClass()]
  const old = annotated(pool, { 'karpenter.sh/nodepool-hash': '1' })
  const items = [
    pool,
    nodeClass,
    ...aMachine('large', pool, nodeClass, { type: 'm5.xlarge' }),
    aPodOn('large', 'little'),
    ...aMachine('empty', pool, nodeClass),
    ...aMachine('protected', pool, nodeClass, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    ...aMachine('old', old, nodeClass),
    aPodOn('old', 'big', { cpu: '1900m', memory: '5Gi' }),
    aWaitingPod('waiting', { cpu: '7' }),
  ]
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items }).replaceAll('us-east-1', region)
}

const folder = mkdtempSync(join(tmpdir(), 'joinery-region-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const on = (stdin: string, ...args: readonly string[]) => runCommand(args, { stdin })

describe('in a region whose instance types are not built in', () => {
  const snapshot = snapshotIn('eu-west-2')
  const cannot =
    'instance types and prices of region eu-west-2 are not built in: launches and consolidation cannot be judged without an InstanceTypeCatalog'

  test.each([
    ['large', `x Underutilized: ${cannot} [InstanceTypesUnknown]`],
    ['empty', '+ Empty: nothing on it would have to run elsewhere, the node is deleted [Empty]'],
    ['protected', '[NodeDoNotDisrupt]'],
    ['large', '- Drifted: the node is as its NodePool and EC2NodeClass want it [NotDrifted]'],
    ['large', 'Expired: expires at 2026-07-14T09:00:00Z'],
  ])('explain tells of node %s what does not rest on them: %s', async (name, text) => {
    const { code, stdout } = await on(snapshot, 'explain', 'node', name, '-f', '-')
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(text) as string })
  })

  test('explain tells of a drifted node whose pods need a new one that this cannot be judged', async () => {
    const full = snapshot.replaceAll('"cpu":"1900m"', '"cpu":"7900m"')
    const { stdout } = await on(full, 'explain', 'node', 'old', '-f', '-')
    expect(stdout).toContain(`x Drifted: its pods need a new node; ${cannot} [InstanceTypesUnknown]`)
  })

  test('explain tells of a pod and of a NodePool why nothing is known, and not that requirements are at fault', async () => {
    for (const subject of [['pod', 'waiting'] as const, ['nodepool', 'default'] as const]) {
      const { code, stdout } = await on(snapshot, 'explain', ...subject, '-f', '-')
      expect(code).toBe(0)
      expect(stdout).toContain(cannot)
      expect(stdout).not.toMatch(/filtered out|simulated AWS/)
    }
  })

  test('simulate says so of pods and savings', async () => {
    const { code, stdout } = await on(snapshot, 'simulate', '-', '--disrupt')
    expect(code).toBe(0)
    expect(stdout).toContain(`unschedulable default/waiting\n  default: ${cannot}`)
    expect(stdout).toContain('delete: empty; saves an amount not known')
  })

  test('plan tells nodes, waves and what holds them, without a cost', async () => {
    const pool = aFleetPool({ disruption, labels: { team: 'a' } })
    const manifest = JSON.stringify({ ...pool, metadata: { name: 'default' }, status: undefined })
    const { code, stdout } = await runCommand(
      ['plan', '-', '--snapshot', write('eu.json', snapshot), '-o', 'json', '--now', '2026-06-14T12:00:00Z'],
      { stdin: manifest },
    )
    expect(code).toBe(0)
    const plan = JSON.parse(stdout) as {
      waves: { nodes: string[] }[]
      cost: unknown
      notices: string[]
      blockedBy: { node: string }[]
    }
    expect(plan.waves.flatMap(({ nodes }) => nodes).toSorted()).toEqual(['empty', 'large', 'old'])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(['protected'])
    expect(plan.cost).toBeNull()
    expect(plan.notices.join()).toContain('Instance types and prices of region eu-west-2 are not built in')
  })

  test('a built-in region that is not that of the subnets is no answer either', async () => {
    const { stdout } = await on(snapshot, 'explain', 'pod', 'waiting', '-f', '-', '--region', 'us-west-2')
    expect(stdout).toContain('EC2NodeClass default has its subnets in eu-west-2, not in region us-west-2')
    expect(stdout).not.toContain('filtered out')
  })
})

test('of Local Zones nothing is built in: that is said, and not that nothing fits there', async () => {
  const local = snapshotIn('us-east-1').replaceAll(/us-east-1([a-f])/g, 'us-east-1-bos-1$1')
  const cannot =
    'NodePool default is in us-east-1-bos-1a, us-east-1-bos-1b, us-east-1-bos-1c, of which no instance types and prices are built in'
  const pod = await on(local, 'explain', 'pod', 'waiting', '-f', '-')
  expect(pod.stdout).toContain(cannot)
  expect(pod.stdout).not.toContain('filtered out')
  const node = await on(local, 'explain', 'node', 'large', '-f', '-')
  expect(node.stdout).toContain(`x Underutilized: ${cannot}`)
})

test.each([
  ['validate', '-'],
  ['simulate', '-'],
  ['explain', 'node', 'large', '-f', '-'],
  ['plan', '-', '--snapshot', '/dev/null'],
])('%s refuses a region without built-in types that somebody names', async (...args) => {
  const given = args[0] === 'plan' ? ['plan', '-', '--snapshot', write('us.json', snapshotIn('us-east-1'))] : args
  const { code, stdout, stderr } = await on(snapshotIn('us-east-1'), ...given, '--region', 'mars-1')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toBe(`error: --region mars-1: instance types are built in for ${knownRegions().join(', ')}\n`)
})

test('simulate takes the region of the nodes', async () => {
  const { stdout, stderr } = await on(snapshotIn('us-west-2'), 'simulate', '-', '--disrupt')
  expect(stderr).toBe('')
  expect(stdout).toContain('delete: empty; saves $0.0960/h')
})

test('simulate takes the region of the subnets where there is no node', async () => {
  const items = [aFleetPool(), aFleetClass(), aWaitingPod('waiting')]
  const { stdout } = await on(
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }).replaceAll('us-east-1', 'us-west-2'),
    'simulate',
    '-',
  )
  expect(stdout).toContain('1 new node(s) for 1 pod(s)')
})

test('where the input is in several regions it is said which one was taken', async () => {
  const items = aMachine('far', aFleetPool({ disruption }), aFleetClass())
  const elsewhere = JSON.stringify({ apiVersion: 'v1', kind: 'List', items }).replaceAll('us-east-1', 'us-east-2')
  const { stderr } = await on(`${snapshotIn('us-west-2')}\n---\n${elsewhere}`, 'simulate', '-')
  expect(stderr).toBe(
    'warning: the input is in several regions: instance types and prices are those of us-west-2, not of us-east-2; --region names another\n',
  )
})

test('docs/troubleshooting.md lists the regions', () => {
  const page = readFileSync(new URL('../../../../docs/troubleshooting.md', import.meta.url), 'utf8')
  const listed = /region of the nodes: ([^.]*)\./.exec(page.replaceAll('\n', ' '))?.[1]?.split(/, | and /)
  expect(listed).toEqual(knownRegions())
})
