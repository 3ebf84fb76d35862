import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import type { Deployment, Unsaved } from '../../src/api/kubernetes.ts'
import { demoSettings, runStep, steps } from '../../src/cli/demo/script.ts'
import { deployment, podCount } from '../../src/cli/demo/manifests.ts'
import { readFleet } from '../../src/cli/embedded/fleet.ts'
import { type Stack, startStack } from '../../src/cli/embedded/stack.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { runBenchmark } from './own-process.ts'

/**
 * `npm run bench:demo [-- -o json] [-- workload …]`: what the operator and the embedded cluster cost together in one process: memory,
 * the longest time for which nothing else got its turn, and real time for virtual time. Each workload has a process of its own, so
 * that none inherits the memory of another.
 */
interface Result {
  readonly workload: string
  readonly nodes: number
  readonly pods: number
  /** Real time of the measured part, and the processor's, which other work on the machine does not stretch. */
  readonly ms: number
  readonly cpuMs: number
  readonly virtualSeconds: number
  /** Milliseconds of processor time for an hour of virtual time. */
  readonly cpuMsPerHour: number
  readonly startMs: number
  readonly peakMB: number
  readonly heapMB: number
  /** Between two turns of the event loop in the measured part, in real time: on a busy machine longer than the process's own doing. */
  readonly longestBlockMs: number
}

type Workload = (stack: Stack) => Promise<() => Promise<void>>

const hour = 3_600_000

/** Each prepares what is not measured and returns what is. */
const workloads: Readonly<Record<string, Workload>> = {
  demo: async (stack) => async () => {
    for (const step of steps) {
      const { ok, checks } = await runStep(step, stack)
      if (!ok) throw new Error(`the demo failed: ${checks.map(({ what }) => what).join(', ')}`)
    }
  },
  'quiet-hour': async (stack) => {
    await takeSteps(stack, ['prepare', 'scale-up'])
    await stack.cluster.clock.run({ forMs: hour })
    return () => idle(stack, hour)
  },
  'busy-hour': async (stack) => {
    await takeSteps(stack, ['prepare', 'scale-up'])
    return () => idle(stack, hour)
  },
  'pods-1000': async (stack) => {
    await takeSteps(stack, ['prepare'])
    return async () => {
      const { cluster } = stack
      for (const shape of [1, 2, 3, 4]) await cluster.client.create(deployments, many(shape))
      const ran = await cluster.clock.run({
        until: () => readFleet(stack).runningPods === 1000,
        withinMs: hour,
      })
      if (!ran) throw new Error(`only ${readFleet(stack).runningPods} of 1000 pods run`)
    }
  },
}

function many(shape: number): Unsaved<Deployment> {
  return deployment({ name: `load-${shape}`, replicas: 250, cpu: `${shape * 250}m`, memory: `${shape}Gi` })
}

async function takeSteps(stack: Stack, names: readonly string[]): Promise<void> {
  for (const step of steps.filter(({ name }) => names.includes(name))) {
    const { ok } = await runStep(step, stack)
    if (!ok) throw new Error(`the step ${step.name} failed`)
  }
}

async function idle(stack: Stack, forMs: number): Promise<void> {
  await stack.cluster.clock.run({ forMs })
  const { runningPods } = readFleet(stack)
  if (runningPods !== podCount) throw new Error(`only ${runningPods} of ${podCount} pods run`)
}

async function measure(name: string, workload: Workload): Promise<Result> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let peak = 0
  const memory = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const begun = performance.now()
  const stack = await startStack({ seed: 1, region: 'us-west-2', settings: demoSettings })
  const startMs = performance.now() - begun
  const measured = await workload(stack)
  const { clock } = stack.cluster
  const virtualFrom = clock.monotonicMs()
  delay.reset()
  const from = performance.now()
  const cpuFrom = process.cpuUsage()
  await measured()
  const ms = performance.now() - from
  const { user, system } = process.cpuUsage(cpuFrom)
  const cpuMs = (user + system) / 1000
  const virtualMs = clock.monotonicMs() - virtualFrom
  const longestBlockMs = delay.max / 1e6
  const fleet = readFleet(stack)
  await stack.stop()
  clearInterval(memory)
  return {
    workload: name,
    nodes: fleet.nodes.length,
    pods: fleet.runningPods,
    ms: round(ms),
    cpuMs: round(cpuMs),
    virtualSeconds: Math.round(virtualMs / 1000),
    cpuMsPerHour: round((cpuMs * hour) / virtualMs),
    startMs: round(startMs),
    peakMB: Math.round(Math.max(peak, process.memoryUsage.rss()) / 2 ** 20),
    heapMB: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
    longestBlockMs: round(longestBlockMs),
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

await runBenchmark({ script: fileURLToPath(import.meta.url), workloads, measure })
