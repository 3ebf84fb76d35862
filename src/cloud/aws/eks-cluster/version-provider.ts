import type { EKSClient } from '../clients.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Clock } from '../../../model/clock.ts'

export interface VersionOptions {
  readonly eks: EKSClient
  readonly clusterName: string
  /** Ask EKS instead of the API server. */
  readonly eksControlPlane: boolean
  readonly clock: Clock
  readonly log: Logger
  /** `major` and `minor` of GET /version. */
  readServerVersion(): Promise<{ readonly major: string; readonly minor: string }>
}

const lowestMinor = 26
const highestMinor = 36
/**
 * While a control plane is upgraded, API servers of both versions answer for some minutes. Taken at its word, the older one would have all
 * nodes drifted to its images, and back.
 */
const lowerForMs = 15 * 60_000

class VersionError extends Error {
  readonly code = 'Version'
  override readonly name = 'VersionError'
}

/** The cluster's Kubernetes version as `1.33`. A failed update keeps the previous one. */
export class VersionProvider {
  readonly #options: VersionOptions
  #version: string | undefined
  /** Since when a lower version is told than the one that counts; monotonic, in milliseconds. */
  #lowerSince: number | undefined
  #isCurrent = false
  #reading: Promise<void> | undefined
  readonly #listeners = new Set<() => void>()

  constructor(options: VersionOptions) {
    this.#options = options
  }

  /** @throws VersionError before the first update */
  get(): string {
    if (this.#version === undefined) throw new VersionError('kubernetes version is not known yet')
    return this.#version
  }

  /** As `get`, but what was read before `distrust` is read again first. Rejects as `update` does. */
  async current(): Promise<string> {
    if (!this.#isCurrent) {
      this.#reading ??= this.update().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
    return this.get()
  }

  /** The cluster may have been upgraded while nobody looked. */
  distrust(): void {
    this.#isCurrent = false
  }

  /** Told of every change of the version. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @throws VersionError once when the version changed to an unsupported one, and whatever reading it threw */
  async update(): Promise<void> {
    const version = await this.#read()
    this.#isCurrent = true
    if (!this.#isTaken(version) || version === this.#version) return
    this.#version = version
    this.#options.log.debug({ version }, 'discovered kubernetes version')
    for (const listener of this.#listeners) listener()
    const minor = minorOf(version)
    if (minor === undefined || minor < lowestMinor || minor > highestMinor) {
      throw new VersionError(
        `kubernetes version ${version} is not supported, must be between 1.${lowestMinor} and 1.${highestMinor}`,
      )
    }
  }

  #isTaken(version: string): boolean {
    const [known, told] = [minorOf(this.#version ?? ''), minorOf(version)]
    if (known === undefined || told === undefined || told >= known) {
      this.#lowerSince = undefined
      return true
    }
    const now = this.#options.clock.monotonicMs()
    this.#lowerSince ??= now
    return now - this.#lowerSince >= lowerForMs
  }

  async #read(): Promise<string> {
    const { eks, clusterName, eksControlPlane } = this.#options
    if (eksControlPlane) {
      const version = (await eks.describeCluster({ name: clusterName })).cluster?.version
      if (version === undefined) throw new VersionError('EKS does not tell the version of the cluster')
      return version
    }
    const { major, minor } = await this.#options.readServerVersion()
    return `${major}.${minor.replace(/\+$/, '')}`
  }
}

/** Undefined for anything but 1.x. */
function minorOf(version: string): number | undefined {
  const minor = /^1\.(\d+)$/.exec(version)?.[1]
  return minor === undefined ? undefined : Number(minor)
}
