import { isRecord } from '../validation/json-value.ts'
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
  /** Kubelet settings that belong to a node class now, and its name. */
  readonly kubelet?: { readonly nodeClass: string; readonly settings: unknown }
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

  remove(path: Path): void {
    if (this.has(...path)) this.edits.push({ op: 'remove', path })
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
