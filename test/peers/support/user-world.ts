import { type UserShell, userShell } from './documented-steps.ts'
import { type ProcessKubelet, startProcessKubelet } from './process-kubelet.ts'
import type { Program } from './programs.ts'
import { type EmptyWorld, startEmptyWorld } from './real-world.ts'

/** A cluster with room for what charts install, and a shell beside it. */
export interface UserWorld extends EmptyWorld {
  readonly kubelet: ProcessKubelet
  readonly shell: UserShell
}

/** What images hold that nobody looks at. */
export const idleProgram: Program = { command: 'sleep', args: ['infinity'] }

/** @param programOf what an image holds */
export async function startUserWorld(programOf: (image: string) => Program): Promise<UserWorld> {
  const world = await startEmptyWorld()
  const { controlPlane, kube, account } = world
  await using started = world.stops.move()
  const kubelet = await startProcessKubelet({ controlPlane, kube, programOf, env: account.env })
  started.defer(() => kubelet.stop())
  const shell = await userShell(controlPlane)
  started.defer(() => shell.dispose())
  const stops = started.move()
  return { ...world, kubelet, shell, stops, stop: () => stops.disposeAsync() }
}
