import { afterEach } from 'vitest'

/** Writes what explains a failure right after the test that failed: later ones change the world, and their logs bury what was said. */
export function reportFailures(report: () => Promise<string>): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return
    const text = await report().catch((error: unknown) => `there is no report: ${String(error)}`)
    process.stderr.write(`\n== after "${task.name}"\n${text}\n`)
  })
}
