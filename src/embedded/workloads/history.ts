import { isRecord, sameWhenWritten } from '../../api/json.ts'
import type { ControllerRevision, LabelSelector, PodTemplateSpec, Unsaved } from '../../api/kubernetes.ts'
import { hasCode, isNotFound } from '../../kube/errors.ts'
import { controllerRevisions } from '../../kube/kinds.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { compareText } from '../../model/order.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { addClaimIndexes, claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { type Claimant, controllerReference } from './ownership.ts'
import { templateHash } from './template-hash.ts'

type Owner = Claimant & {
  readonly spec: {
    readonly selector: LabelSelector
    readonly template: PodTemplateSpec
    readonly revisionHistoryLimit?: number
  }
}

/** The templates that a StatefulSet or DaemonSet has had, as `kubectl rollout history` and `undo` read them. */
export interface History {
  /** The oldest first. */
  readonly revisions: readonly ControllerRevision[]
  /** That of the template as it is now. */
  readonly update: ControllerRevision
}

export class Histories<T extends Owner> {
  readonly #deps: EmbeddedDeps
  readonly #owners: Resource<T>
  readonly #hashLabel: string
  readonly #expectations: Expectations<ControllerRevision>

  /** @param hashLabel the label of a revision that holds its hash; it differs between the kinds of owners */
  constructor(deps: EmbeddedDeps, owners: Resource<T>, hashLabel: string) {
    this.#deps = deps
    this.#owners = owners
    this.#hashLabel = hashLabel
    const cache = deps.caches.of(controllerRevisions)
    addClaimIndexes(cache)
    this.#expectations = new Expectations(cache)
  }

  /** What there is, with a revision of the template as it is now: a new one, or an old one that becomes the latest again. */
  async of(owner: T): Promise<History> {
    const { client, caches } = this.#deps
    const objects = caches.of(controllerRevisions)
    const claimed = await claim(this.#deps, {
      owner,
      owners: this.#owners,
      objects,
      expectations: this.#expectations,
    })
    const revisions = claimed.toSorted(
      (a, b) => a.revision - b.revision || compareText(a.metadata.name, b.metadata.name),
    )
    const latest = revisions.at(-1)
    const same = revisions.findLast((revision) => sameWhenWritten(templateOf(revision), owner.spec.template))
    if (same !== undefined && same === latest) return { revisions, update: same }
    const revision = (latest?.revision ?? 0) + 1
    const update =
      same === undefined
        ? await this.#create(owner, revision)
        : await client.patch(controllerRevisions, keyOf(same), { kind: 'merge', body: { revision } })
    return { revisions: [...revisions.filter((other) => other !== same), update], update }
  }

  /** Forgets the oldest revisions beyond the limit, of those that are not in use. */
  async trim(owner: T, { revisions }: History, isUsed: (revision: ControllerRevision) => boolean): Promise<void> {
    const unused = revisions.filter((revision) => !isUsed(revision))
    const limit = owner.spec.revisionHistoryLimit ?? 10
    // Below nothing is no limit.
    const surplus = limit < 0 ? 0 : unused.length - limit
    for (const revision of unused.slice(0, Math.max(0, surplus))) {
      this.#expectations.deleted(owner.metadata.uid, revision)
      try {
        await this.#deps.client.delete(controllerRevisions, keyOf(revision))
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  }

  async #create(owner: T, revision: number): Promise<ControllerRevision> {
    const { client } = this.#deps
    const { template } = owner.spec
    const { namespace, annotations } = owner.metadata
    const hash = templateHash(template)
    const object: Unsaved<ControllerRevision> = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `${owner.metadata.name}-${hash}`,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...template.metadata?.labels, [this.#hashLabel]: hash },
        ...(annotations === undefined ? {} : { annotations }),
        ownerReferences: [controllerReference(owner)],
      },
      // kubectl compares the bytes with those that it would write itself, keys in order.
      data: inOrder({ spec: { template: { ...template, $patch: 'replace' } } }),
      revision,
    }
    try {
      const created = await client.create(controllerRevisions, object)
      this.#expectations.created(owner.metadata.uid, created)
      return created
    } catch (error) {
      // Of an owner of the same name that has just gone, and its revision with it in a moment: the name says that the template is the same.
      if (hasCode(error, 'AlreadyExists'))
        return client.get(controllerRevisions, { namespace, name: object.metadata.name ?? '' })
      throw error
    }
  }
}

/** The pod template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const template = data?.spec?.template
  if (template === undefined) return undefined
  const { $patch: _directive, ...kept } = template
  return kept
}

/** The same with the keys of all its objects in order. */
function inOrder<T>(value: T): T
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => inOrder(item))
  if (!isRecord(value)) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => compareText(a, b))
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]))
}
