import type { Command } from 'commander'
import { messageOf } from '../api/error-text.ts'
import { hasCode } from '../kube/errors.ts'
import { createHTTPClient, type HTTPClient } from '../kube/http-client.ts'
import { loadKubeConfig } from '../kube/kube-config.ts'
import { systemClock } from '../kube/system-clock.ts'
import { systemRandom } from '../kube/system-random.ts'
import type { Clock, Timer } from '../model/clock.ts'

export interface ClusterOptions {
  readonly kubeconfig?: string
  readonly context?: string
}

/** The options that say which cluster. */
export function withClusterOptions(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'kubeconfig to use; default: KUBECONFIG, then ~/.kube/config, then in-cluster')
    .option('--context <name>', 'context of the kubeconfig')
}

/** A cluster to work with, and its time: that of its API server, which need not be the one of this machine. */
export interface Connection {
  readonly client: HTTPClient
  readonly clock: Clock
}

/** Says which cluster it was that could not be worked with: the error alone has an address at best. */
class UnusableClusterError extends Error {
  readonly code = 'UnusableCluster'

  constructor(problem: string, cause: unknown) {
    super(`${problem}: ${messageOf(cause)}`, { cause })
  }
}

/** Lets the work have a client of that cluster, and closes it when the work is done. */
export async function withCluster<T>(
  { kubeconfig, context }: ClusterOptions,
  name: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const config = loadKubeConfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  const clock = new ServerClock(systemClock())
  const client = createHTTPClient({
    config,
    clock: systemClock(),
    random: systemRandom(),
    qps: 50,
    burst: 100,
    userAgent: name,
    fieldManager: name,
    observe: ({ date }) => clock.observe(date),
  })
  try {
    return await work({ client, clock })
  } catch (error) {
    const place = `the API server ${config.getCurrentCluster()?.server ?? ''} of context ${config.getCurrentContext()}`
    if (hasCode(error, 'Network')) throw new UnusableClusterError(`${place} does not answer`, error)
    if (hasCode(error, 'Unauthorized'))
      throw new UnusableClusterError(`${place} does not take these credentials`, error)
    throw error
  } finally {
    await client.close()
  }
}

/** Answers tell whole seconds, and take their time: what differs by no more than this is the same. */
const sameMs = 2_000

/** Time as the API server's last answer told it. Waiting is this machine's business. */
export class ServerClock implements Clock {
  readonly #own: Clock
  #aheadMs = 0

  constructor(own: Clock) {
    this.#own = own
  }

  /** The `Date` header of an answer. */
  observe(date: string | undefined): void {
    const told = date === undefined ? Number.NaN : Date.parse(date)
    if (Number.isNaN(told)) return
    const aheadMs = told + 500 - this.#own.now()
    this.#aheadMs = Math.abs(aheadMs) <= sameMs ? 0 : aheadMs
  }

  now(): number {
    return this.#own.now() + this.#aheadMs
  }

  monotonicMs(): number {
    return this.#own.monotonicMs()
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#own.sleep(ms, signal)
  }

  schedule(ms: number, run: () => void): Timer {
    return this.#own.schedule(ms, run)
  }
}
