import { conditionOf } from '../api/conditions.ts'
import type { NodeClaim } from '../api/karpenter.ts'
import { finalizerTermination, labelNodePool } from '../api/labels.ts'
import { isClaimDeleting } from '../model/deleting-claim.ts'
import { compareText } from '../model/order.ts'

/** Claims that have no provider ID yet: while one of them may still get an instance, others for the same pods would be too many. */
export class UnlaunchedClaims {
  readonly #claims = new Map<string, NodeClaim>()
  /** Those of them that nobody waits for any more. */
  readonly #setAside = new Set<string>()

  /** Whether it is new. One that may be launched after all is waited for again. */
  put(claim: NodeClaim): boolean {
    const { name } = claim.metadata
    const isNew = !this.#claims.has(name)
    this.#claims.set(name, claim)
    if (this.hopelessness(name) === undefined) this.#setAside.delete(name)
    return isNew
  }

  /** Whether it was one of them. */
  delete(name: string): boolean {
    this.#setAside.delete(name)
    return this.#claims.delete(name)
  }

  has(name: string): boolean {
    return this.#claims.has(name)
  }

  get isEmpty(): boolean {
    return this.#claims.size === 0
  }

  /** By name. */
  get names(): readonly string[] {
    return [...this.#claims.keys()].toSorted(compareText)
  }

  /** Of those that may yet be launched. */
  *pools(): Iterable<string> {
    for (const claim of this.#claims.values()) {
      if (!isClaimDeleting(claim)) yield claim.metadata.labels?.[labelNodePool] ?? ''
    }
  }

  /** Whether passes wait for one of them. */
  get areAwaited(): boolean {
    return this.#claims.size > this.#setAside.size
  }

  isAwaited(name: string): boolean {
    return this.#claims.has(name) && !this.#setAside.has(name)
  }

  /** Why it has no instance now, nor will have one soon; undefined where it may. */
  hopelessness(name: string): 'deleting' | 'refused' | undefined {
    const claim = this.#claims.get(name)
    if (claim === undefined) return undefined
    if (isClaimDeleting(claim)) return 'deleting'
    // Without it nothing is launched. That it is not there yet may have many reasons; this one may last.
    const isFinalized = claim.metadata.finalizers?.includes(finalizerTermination) === true
    return !isFinalized && conditionOf(claim, 'Launched')?.reason === 'LaunchFailed' ? 'refused' : undefined
  }

  /** From now on nobody waits for it. */
  setAside(name: string): void {
    if (this.#claims.has(name)) this.#setAside.add(name)
  }
}
