import { setTimeout as sleep } from 'node:timers/promises'

/** What is looked at is often an answer that costs a peer some processor time, of which there is little. */
const pollMs = 250
/** Karpenter looks again after five minutes at nodes for which it has found nothing better, whatever has been edited since. */
const patienceMs = 420_000

/**
 * Waits until `holds` does; real programs take their time: on a busy machine a node whose machine is gone takes two minutes to go. For
 * hooks, where `expect.poll` is not to be had.
 */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs / 1000} s in vain until ${what}`)
    await sleep(pollMs)
  }
}

/** Waits until `holds` has held for `lastMs`, for what a peer may take back at first. */
export async function eventuallyFor(lastMs: number, what: string, holds: () => Promise<boolean>): Promise<void> {
  let since: number | undefined
  await eventually(`${what}, for ${lastMs / 1000} s`, async () => {
    const now = performance.now()
    since = (await holds()) ? (since ?? now) : undefined
    return since !== undefined && now - since >= lastMs
  })
}
