import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makePlan } from '../../src/cli/plan/make-plan.ts'
import { emptyObjects, type SimulationObjects, sortObjects } from '../../src/cli/simulate/objects.ts'
import { readJudged } from '../../src/cli/simulate/read-objects.ts'
import type { Plan } from '../../src/rollout/plan/plan.ts'
import type { NodePool, RolloutPolicy } from '../../src/api/karpenter.ts'
import { coreGates } from '../../src/operator/option-table.ts'
import { runCommand } from '../support/command-run.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn, fleetNow } from '../support/fleet-objects.ts'

/**
 * `npm run bench:plan [-- -o json]`: what a plan of a change on 2,000 nodes and 40,000 pods costs, the best of a few runs. `decided` is
 * from objects in memory to the plan; `command` is the whole command, which reads a recorded snapshot of 33 MB; `process` adds the start
 * of Node. Memory is the peak of the process that ran the command.
 */
const runs = 2
const nodeCount = 2_000
const podsPerNode = 20
const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c']

const broad: NodePool['spec']['template']['spec']['requirements'] = [
  { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand', 'spot'] },
  { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
  { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
]

interface Case {
  readonly name: string
  readonly budget: string
  readonly change: (pool: NodePool) => NodePool
  readonly policies?: readonly RolloutPolicy[]
  /** How many; a plan with another number has not done the work that is measured. */
  readonly replaced: number
}

const careful: RolloutPolicy = {
  apiVersion: 'joinery.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'careful', uid: 'careful', resourceVersion: '1', creationTimestamp: fleetNow },
  spec: {
    nodePoolSelector: { names: ['blue', 'green'] },
    steps: [{ nodes: 1, soak: '10m' }, { nodes: '10%', soak: '10m' }, { nodes: '100%' }],
  },
}

const everything: RolloutPolicy = {
  ...careful,
  spec: {
    ...careful.spec,
    order: { by: 'Zone', first: ['us-east-1c'] },
    rate: { nodes: 20, per: '1m' },
    sharedBudget: '5%',
  },
}

const withLabel = (pool: NodePool): NodePool => ({
  ...pool,
  spec: { ...pool.spec, template: { ...pool.spec.template, metadata: { labels: { revision: 'two' } } } },
})

const cases: readonly Case[] = [
  { name: 'every node drifts, 10 % at a time', budget: '10%', change: withLabel, replaced: nodeCount },
  { name: 'every node drifts, one at a time', budget: '1', change: withLabel, replaced: nodeCount },
  { name: 'every node drifts, no budget', budget: '100%', change: withLabel, replaced: nodeCount },
  {
    name: 'no pod tolerates the new taint',
    budget: '10%',
    replaced: nodeCount,
    change: (pool) => ({
      ...pool,
      spec: {
        ...pool.spec,
        template: {
          ...pool.spec.template,
          spec: { ...pool.spec.template.spec, taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] },
        },
      },
    }),
  },
  {
    name: 'every node drifts, 10 % at a time, in the steps of a policy',
    budget: '10%',
    change: withLabel,
    replaced: nodeCount,
    policies: [careful],
  },
  {
    name: 'every node drifts, under a policy with steps, order, rate and a shared budget',
    budget: '10%',
    change: withLabel,
    replaced: nodeCount,
    policies: [everything],
  },
  {
    name: 'only the weight changes',
    budget: '10%',
    change: (pool) => ({ ...pool, spec: { ...pool.spec, weight: 7 } }),
    replaced: 0,
  },
]

function fleet(budget: string): SimulationObjects {
  const nodeClass = aFleetClass()
  const pools = ['blue', 'green'].map((name) =>
    aFleetPool({
      name,
      template: { requirements: broad },
      disruption: { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: budget }] },
    }),
  )
  const objects = { ...emptyObjects(), nodePools: pools, nodeClasses: [nodeClass] }
  for (let index = 0; index < nodeCount; index += 1) {
    const pool = pools[index % pools.length] ?? aFleetPool()
    const name = `node-${String(index).padStart(4, '0')}`
    const [claim, node] = aMachine(name, pool, nodeClass, { zone: zones[index % 3] ?? '', type: 'm5.xlarge' })
    objects.nodeClaims.push(claim)
    objects.nodes.push(node)
    for (let slot = 0; slot < podsPerNode; slot += 1) {
      const app = `app-${(index * 7 + slot * 31) % 400}`
      const cpu = `${100 + ((index * 13 + slot * 7) % 9) * 10}m`
      objects.pods.push(aPodOn(name, `${app}-${index}-${slot}`, { cpu, memory: '512Mi', labels: { app } }))
    }
  }
  return objects
}

interface Measured {
  readonly decidedMs: number
  readonly commandMs: number
  /** Of the command: what a busy machine does not change much. */
  readonly commandCPUMs: number
  readonly peakMB: number
}

/** In a process of its own: decides once on objects in memory, which are then dropped, and runs the command. */
async function measure(folder: string): Promise<Measured> {
  const [started, cpuBefore] = [performance.now(), process.cpuUsage()]
  const result = await runCommand([...planArgs, '-o', 'json'], { cwd: folder })
  if (result.code !== 0) throw new Error(result.stderr)
  const commandMs = Math.round(performance.now() - started)
  const { user, system } = process.cpuUsage(cpuBefore)
  const commandCPUMs = Math.round((user + system) / 1000)
  // Kilobytes, whatever the platform says of other figures.
  const peakMB = Math.round(process.resourceUsage().maxRSS / 1024)
  const read = async (file: string): Promise<SimulationObjects> =>
    sortObjects(await readJudged([file], { cwd: folder, stdin: process.stdin }))
  const [cluster, manifests] = [await read('snapshot.json'), await read('pools.json')]
  const decisionStarted = performance.now()
  makePlan(cluster, manifests, {
    now: Date.parse(fleetNow),
    region: 'us-east-1',
    prune: false,
    featureGates: coreGates,
    resolved: new Map(),
    timing: { launchMs: 90_000, drainMs: 60_000 },
  })
  return { commandMs, commandCPUMs, peakMB, decidedMs: Math.round(performance.now() - decisionStarted) }
}

const planArgs = ['plan', '-f', 'pools.json', '--snapshot', 'snapshot.json']

function run(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

function resultOf({ name, budget, change, policies = [], replaced: expected }: Case): object {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-plan-'))
  try {
    const cluster = fleet(budget)
    const items = [...Object.values(cluster).flat(), ...policies]
    const pools = cluster.nodePools.map(change)
    writeFileSync(join(folder, 'snapshot.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    writeFileSync(join(folder, 'pools.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pools }))
    const measured = Array.from(
      { length: runs },
      () => JSON.parse(run([import.meta.filename, '--measure', folder], folder)) as Measured,
    )
    const best = (key: keyof Measured): number => Math.min(...measured.map((one) => one[key]))
    const started = performance.now()
    const plan = JSON.parse(
      run([join(import.meta.dirname, '../../bin/joinery.js'), ...planArgs, '-o', 'json'], folder),
    ) as Plan
    const processMs = Math.round(performance.now() - started)
    const replaced = plan.nodes.filter(({ action }) => action === 'replace').length
    if (replaced !== expected) throw new Error(`${name}: ${replaced} nodes are replaced instead of ${expected}`)
    return {
      name,
      replaced,
      waves: plan.waves.length,
      held: plan.blockedBy.length,
      decidedMs: best('decidedMs'),
      commandMs: best('commandMs'),
      commandCPUMs: best('commandCPUMs'),
      processMs,
      peakMB: best('peakMB'),
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const args = process.argv.slice(2)
const folder = args[0] === '--measure' ? args[1] : undefined
if (folder === undefined) {
  const only = args.find((arg) => !arg.startsWith('-') && arg !== 'json')
  const results = cases.filter(({ name }) => only === undefined || name.includes(only)).map(resultOf)
  if (args.includes('json')) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
  else console.table(results)
} else process.stdout.write(JSON.stringify(await measure(folder)))
