import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, podDisruptionBudgets, pods } from '../../../../src/kube/kinds.ts'
import { type CommandResult, runCommand } from '../../../support/command-run.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn } from '../../../support/fleet-objects.ts'
import { plainAPIServer } from '../../../support/plain-api-server.ts'

interface Cluster {
  readonly run: (...args: string[]) => Promise<CommandResult>
  readonly file: (name: string, text: string) => string
}

/** One node of one pool, of which whoever asks may not list the kinds. */
async function aCluster(...forbidden: readonly string[]): Promise<Cluster> {
  const [pool, nodeClass] = [aFleetPool(), aFleetClass()]
  const machine: readonly KubeObject[] = aMachine('n1', pool, nodeClass)
  const ofKind = (kind: string) => machine.filter((object) => object.kind === kind)
  const server = await plainAPIServer(
    [
      [nodePools, [pool]],
      [ec2NodeClasses, [nodeClass]],
      [nodeClaims, ofKind('NodeClaim')],
      [nodes, ofKind('Node')],
      [pods, [aPodOn('n1', 'web')]],
      [podDisruptionBudgets, []],
    ],
    (path) => (forbidden.some((plural) => path.endsWith(`/${plural}`)) ? 403 : 200),
  )
  const folder = mkdtempSync(join(tmpdir(), 'joinery-forbidden-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return {
    run: (...args) => runCommand([...args, '--kubeconfig', server.kubeconfig]),
    file: (name, text) => {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
  }
}

const taken = 'Not all of the cluster could be read: poddisruptionbudgets may not be listed.'
const relabelled = JSON.stringify(aFleetPool({ labels: { team: 'a' } }))

test('a plan on what could not all be read says what it is without', async () => {
  const { run, file } = await aCluster('poddisruptionbudgets')
  const manifest = file('pool.json', relabelled)
  const { stdout, stderr } = await run('plan', '-f', manifest)
  expect(stderr).toContain('warning: poddisruptionbudgets may not be listed and are left out\n')
  expect(stdout).toContain('1 node to replace')
  expect(stdout).toContain(taken)
})

test.each(['yaml', 'json'])('so does a plan on a snapshot of it, recorded as %s', async (format) => {
  const { run, file } = await aCluster('poddisruptionbudgets')
  const manifest = file('pool.json', relabelled)
  const snapshot = file('snapshot', (await run('snapshot', '-o', format)).stdout)
  const { stdout } = await runCommand(['plan', '-f', manifest, '--snapshot', snapshot, '-o', 'json'])
  expect(JSON.parse(stdout)).toMatchObject({ notices: [expect.stringContaining(taken)] })
})

test('a snapshot of a cluster of which nothing may be listed is one all the same', async () => {
  const everything = ['nodepools', 'ec2nodeclasses', 'nodeclaims', 'nodes', 'pods', 'poddisruptionbudgets']
  const { run, file } = await aCluster(...everything)
  const manifest = file('pool.json', relabelled)
  const snapshot = file('snapshot', (await run('snapshot', '-o', 'json')).stdout)
  const { code, stdout } = await runCommand(['plan', '-f', manifest, '--snapshot', snapshot])
  expect([code, stdout]).toEqual([0, expect.stringContaining('Not all of the cluster could be read: nodepools, ')])
})

test('a simulation on such a snapshot warns', async () => {
  const { run, file } = await aCluster('nodes')
  const snapshot = file('snapshot', (await run('snapshot')).stdout)
  const { stderr } = await runCommand(['simulate', '-f', snapshot])
  expect(stderr).toContain('warning: whoever recorded the snapshot may not list nodes: ')
})

test('that nothing would change is no certainty, either', async () => {
  const { run, file } = await aCluster('nodes', 'nodeclaims')
  const { stdout } = await run('plan', '-f', file('pool.json', JSON.stringify(aFleetPool())))
  expect(stdout).toContain(
    'No changes. Every node stays as it is.\nNot all of the cluster could be read: nodeclaims, nodes',
  )
  const markdown = await run('plan', '-f', file('pool.json', JSON.stringify(aFleetPool())), '-o', 'markdown')
  expect(markdown.stdout).toContain('Not all of the cluster could be read: nodeclaims, nodes')
})

test('of a cluster that could all be read nothing of the kind is said', async () => {
  const { run, file } = await aCluster()
  const { stdout } = await run('plan', '-f', file('pool.json', relabelled), '-o', 'json')
  expect(JSON.parse(stdout)).toMatchObject({ notices: [] })
  expect((await run('snapshot')).stdout).not.toContain('ConfigMap')
  expect((await run('explain', 'node', 'n1')).stdout).not.toContain('not read')
})

test('an explanation says what it is without', async () => {
  const { run } = await aCluster('poddisruptionbudgets')
  const { code, stdout } = await run('explain', 'node', 'n1', '-o', 'json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout).facts).toContainEqual({
    name: 'not read',
    value: 'poddisruptionbudgets: may not be listed, so the answer is as if there were none',
  })
})

test.each([
  ['node', 'n1'],
  ['nodepool', 'default'],
  ['nodeclaim', 'claim-n1'],
  ['pod', 'shop/web'],
])('whether there is a %s that may not be listed cannot be told', async (subject, name) => {
  const { run, file } = await aCluster(`${subject}s`)
  const want = `${subject}s may not be listed, so whether there is a ${subject} ${name} in`
  expect((await run('explain', subject, name)).stderr).toContain(`${want} the cluster cannot be told\n`)
  const snapshot = file('snapshot', (await run('snapshot')).stdout)
  const offline = await runCommand(['explain', subject, name, '-f', snapshot])
  expect(offline).toEqual({ code: 1, stdout: '', stderr: `${want} the input cannot be told\n` })
})
