import { appendFile } from 'node:fs/promises'
import { afterEach } from 'vitest'

/** Where reports are also kept, so that a long run can repeat them at its end; a file that need not exist. */
const keptAt = process.env['JOINERY_FAILURE_REPORTS']

/** Writes what explains a failure right after the test that failed: later ones change the world, and their logs bury what was said. */
export function reportFailures(report: () => Promise<string>): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return
    const text = await report().catch((error: unknown) => `there is no report: ${String(error)}`)
    const whole = `\n== after "${task.name}"\n${text}\n`
    process.stderr.write(whole)
    if (keptAt !== undefined) await appendFile(keptAt, whole)
  })
}
