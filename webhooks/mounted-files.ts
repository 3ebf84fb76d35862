import type { Logger } from '../src/kube/logger.ts'
import type { Clock } from '../src/model/clock.ts'

export interface MountedOptions {
  readonly clock: Clock
  readonly log: Pick<Logger, 'error'>
}

interface Mounted<T> extends MountedOptions {
  /** The texts of the files, in one shape or another; what cannot be used rejects. */
  readonly read: () => Promise<T>
  /** What is in use already. */
  readonly used?: T
  /** Told, with the error, when something cannot be read or used. */
  readonly complaint: string
  readonly place: Readonly<Record<string, string>>
}

/** Mounted Secrets and ConfigMaps are looked at this often; cert-manager renews a third of a life ahead, kubelets take a minute. */
export const mountPollMs = 30_000

/**
 * Hands on what files hold, now and whenever it has changed. What cannot be used is looked at again the next time, and what was there
 * before stays in use: while a mount is exchanged, one file may be read from before and the other from after.
 */
export async function followMounted<T>(
  { clock, log, read, used, complaint, place }: Mounted<T>,
  use: (content: T) => void,
  signal: AbortSignal,
): Promise<void> {
  let before = used === undefined ? undefined : JSON.stringify(used)
  while (!signal.aborted) {
    try {
      const content = await read()
      const now = JSON.stringify(content)
      if (now !== before) {
        use(content)
        before = now
      }
    } catch (error) {
      log.error({ err: error, ...place }, complaint)
    }
    try {
      await clock.sleep(mountPollMs, signal)
    } catch {
      return
    }
  }
}
