import { isRecord } from '../json.ts'
import { type Edit, type Path, valueAt } from './edits.ts'

/** Something that the reader of the converted document must know. */
export interface Remark {
  /** `lost`: it has no equivalent and is gone. `check`: it was carried over by a rule that may not be what is wanted. */
  readonly kind: 'lost' | 'check'
  /** In the document as it was. */
  readonly path: Path
  readonly message: string
}

export interface ConversionPlan {
  /** Such as `karpenter.sh/v1beta1 NodePool`. */
  readonly from: string
  readonly to: string
  readonly edits: readonly Edit[]
  readonly remarks: readonly Remark[]
  readonly kubelet?: NodeClassKubelet
}

/** Kubelet settings that belong to a node class now. */
export interface NodeClassKubelet {
  /** Its name. */
  readonly nodeClass: string
  /** As they were, except for what has no equivalent. */
  readonly settings: unknown
  /** Where in the document they were. */
  readonly path: Path
}

/** Collects a plan while a document is read. Reads always see the document as it was. */
export class PlanBuilder {
  readonly edits: Edit[] = []
  readonly remarks: Remark[] = []
  readonly #document: unknown

  constructor(document: unknown) {
    this.#document = document
  }

  get(...path: Path): unknown {
    return valueAt(this.#document, path) ?? undefined
  }

  has(...path: Path): boolean {
    return this.get(...path) !== undefined
  }

  set(path: Path, value: unknown): void {
    this.edits.push({ op: 'set', path, value })
  }

  move(from: Path, path: Path): void {
    if (this.has(...from)) this.edits.push({ op: 'move', from, path })
  }

  /** Moves what is there and writes it in another way; writes it also where nothing was. */
  rewrite(from: Path, path: Path, value: unknown): void {
    this.move(from, path)
    this.set(path, value)
  }

  /** `heir`: what has taken its place, if anything did. */
  remove(path: Path, heir?: Path): void {
    if (this.has(...path)) this.edits.push(heir === undefined ? { op: 'remove', path } : { op: 'remove', path, heir })
  }

  /** Removes what has no equivalent, and says so. */
  lose(path: Path, message: string): void {
    if (!this.has(...path)) return
    this.edits.push({ op: 'remove', path })
    this.remarks.push({ kind: 'lost', path, message })
  }

  lost(path: Path, message: string): void {
    this.remarks.push({ kind: 'lost', path, message })
  }

  check(path: Path, message: string): void {
    this.remarks.push({ kind: 'check', path, message })
  }

  text(...path: Path): string | undefined {
    const value = this.get(...path)
    return typeof value === 'string' ? value : undefined
  }

  record(...path: Path): Readonly<Record<string, unknown>> {
    const value = this.get(...path)
    return isRecord(value) ? value : {}
  }

  list(...path: Path): readonly unknown[] {
    const value = this.get(...path)
    return Array.isArray(value) ? value : []
  }
}

export function finish(plan: PlanBuilder, from: string, to: string, kubelet?: NodeClassKubelet): ConversionPlan {
  const { edits, remarks } = plan
  return kubelet === undefined ? { from, to, edits, remarks } : { from, to, edits, remarks, kubelet }
}
