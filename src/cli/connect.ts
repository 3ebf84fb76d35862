import { type Command, InvalidArgumentError, Option } from 'commander'
import { durationMs, formatDurationMs, parseDuration } from '../api/duration.ts'
import { messageOf } from '../api/error-text.ts'
import { takeEnvironmentProxy } from '../kube/environment-proxy.ts'
import { hasCode } from '../kube/errors.ts'
import { createHTTPClient, type HTTPClient } from '../kube/http-client.ts'
import type { Patience } from '../kube/http-transport.ts'
import { loadKubeConfig } from '../kube/kube-config.ts'
import { systemClock } from '../kube/system-clock.ts'
import { systemRandom } from '../kube/system-random.ts'
import type { Clock, Timer } from '../model/clock.ts'
import { print, type Terminal } from './command-line.ts'
import { parseFileName } from './input/option-values.ts'

export interface ClusterOptions {
  readonly kubeconfig?: string
  readonly context?: string
  /** Milliseconds for one call; 0 or absent: as long as it takes. */
  readonly requestTimeout?: number
}

/** The options that say which cluster. */
export function withClusterOptions(command: Command): Command {
  return command
    .addOption(kubeconfigOption())
    .option('--context <name>', 'context of the kubeconfig')
    .addOption(requestTimeoutOption())
}

export function kubeconfigOption(): Option {
  return new Option(
    '--kubeconfig <file>',
    'kubeconfig to use; default: KUBECONFIG, then ~/.kube/config, then in-cluster',
  ).argParser(parseFileName)
}

/** As kubectl's; a person would rather know after half a minute than wait for every retry of a server that is silent. */
export function requestTimeoutOption(): Option {
  return new Option(
    '--request-timeout <duration>',
    'how long one call to the API server may take; 0: as long as it likes',
  )
    .argParser(parseTimeout)
    .default(30_000, '30s')
}

function parseTimeout(text: string): number {
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid' || parsed.nanoseconds < 0n) {
    throw new InvalidArgumentError('expected a duration such as 30s or 2m, or 0')
  }
  // The little that somebody asks for is not no limit at all.
  return parsed.nanoseconds === 0n ? 0 : Math.max(1, durationMs(text))
}

/** A server that has not answered for so long is more likely stuck than busy. */
const noticeAfterMs = 5_000

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

export interface CallingCommand {
  readonly userAgent: string
  /** Where a person is told what is waited for: standard error. */
  readonly say: (line: string) => void
}

export function callerOf(userAgent: string, { stderr }: Pick<Terminal, 'stderr'>): CallingCommand {
  return { userAgent, say: (line) => print(stderr, line) }
}

/** Lets the work have a client of that cluster, and closes it when the work is done. */
export async function withCluster<T>(
  { kubeconfig, context, requestTimeout }: ClusterOptions,
  { userAgent, say }: CallingCommand,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const config = loadKubeConfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  takeEnvironmentProxy(config, process.env)
  const place = `the API server ${config.getCurrentCluster()?.server ?? ''} of context ${config.getCurrentContext()}`
  const clock = new ServerClock(systemClock())
  const client = createHTTPClient({
    config,
    clock: systemClock(),
    random: systemRandom(),
    qps: 50,
    burst: 100,
    userAgent,
    fieldManager: userAgent,
    observe: ({ date }) => clock.observe(date),
    patience: { noticeAfterMs, notice: () => say(`waiting for ${place} …`), giveUp: giveUpAfter(requestTimeout) },
  })
  try {
    return await work({ client, clock })
  } catch (error) {
    if (hasCode(error, 'Network')) throw new UnusableClusterError(`${place} does not answer`, error)
    if (hasCode(error, 'Unauthorized'))
      throw new UnusableClusterError(`${place} does not take these credentials`, error)
    throw error
  } finally {
    await client.close()
  }
}

function giveUpAfter(afterMs = 0): Patience['giveUp'] {
  if (afterMs === 0) return undefined
  return { afterMs, message: `no answer within ${formatDurationMs(afterMs)}; --request-timeout gives it longer` }
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
