import { afterAll, afterEach, beforeAll } from 'vitest'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts'

/** One control plane for the tests of the suite that calls this; its logs are printed when one of them failed. */
export function useControlPlane(options: ControlPlaneOptions = {}): () => ControlPlane {
  let started: ControlPlane | undefined
  let failed = false
  beforeAll(async () => {
    started = await startControlPlane(options)
  })
  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    if (failed && started !== undefined) process.stderr.write(await started.logs())
    await started?.stop()
  })
  return () => {
    if (started === undefined) throw new Error('the control plane exists only while tests run')
    return started
  }
}
