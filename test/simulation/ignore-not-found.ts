import { isNotFound } from '../../src/kube/errors.ts'

/** For who changes what somebody else may have deleted. */
export function ignoreNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error
}
