import type { ReconcileContext } from '../../src/kube/controller.ts'
import type { Logger } from '../../src/kube/logger.ts'

/** For who calls a controller without a runtime. Nobody stops it. */
export function aReconcileContext(log: Logger): ReconcileContext {
  return { log, signal: new AbortController().signal, stopping: new AbortController().signal }
}
