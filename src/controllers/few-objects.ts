import type { RateLimit } from '../kube/controller.ts'

/**
 * For what people write, of which there are few. No watch tells that rights were granted, or that a webhook is back: a NodePool would be
 * unready, and a CapacityBuffer empty, for a quarter of an hour after that.
 */
export const retriesOfFew: RateLimit = { baseMs: 5, maxMs: 60_000, perSecond: 10, burst: 100 }
