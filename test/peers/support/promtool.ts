import { run } from './run.ts'

/** Why there is no promtool; undefined when there is. It comes with the distribution's Prometheus. */
export async function whyNoPromtool(): Promise<string | undefined> {
  const found = await run('promtool', ['--version']).catch(() => undefined)
  return found?.code === 0 ? undefined : 'promtool is not on the PATH (Debian: apt-get install prometheus)'
}
