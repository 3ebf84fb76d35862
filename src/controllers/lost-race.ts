import { backOff, done, type ReconcileResult } from '../kube/controller.ts'
import { isConflict, isNotFound } from '../kube/errors.ts'

/**
 * Does the writes of a reconcile. Where another writer was faster, a changed object is looked at again, and one that is gone needs
 * nothing more; both happen every day and are no failures.
 */
export async function unlessRaceIsLost<Result>(write: () => Promise<Result>): Promise<Result | ReconcileResult> {
  try {
    return await write()
  } catch (error) {
    if (isConflict(error)) return backOff
    if (isNotFound(error)) return done
    throw error
  }
}
