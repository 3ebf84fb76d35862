import type { RolloutPolicy } from '../../api/karpenter.ts'
import type { Logger } from '../../kube/logger.ts'
import type { RolloutStepResult } from '../../rollout/engine/index.ts'
import { oneByOne } from '../one-by-one.ts'
import type { ClassImages } from './class-images.ts'
import { discard, type DiscardDeps } from './discard.ts'

/**
 * What a look asks for beside the status of its policy. The classes come first, since what is launched for a claim that goes is of the images
 * that they name; a claim that may not be deleted keeps no class from returning to the good ones. @throws what failed, combined
 */
export async function carryOut(
  deps: DiscardDeps,
  classes: ClassImages,
  policy: RolloutPolicy,
  result: Pick<RolloutStepResult, 'rollbacks' | 'verdicts' | 'discards'>,
  log: Logger,
): Promise<'done' | 'conflict'> {
  let told = true
  const steps = [
    async () => {
      told = await classes.write(result)
    },
    () => discard(deps, policy, result.discards, log),
  ]
  await oneByOne(steps, (step) => step())
  return told ? 'done' : 'conflict'
}
