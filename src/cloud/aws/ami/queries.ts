import type { Filter } from '@aws-sdk/client-ec2'
import { tagFilters } from '../tag-filters.ts'
import type { NodeClassSpec } from '../wire.ts'
import type { RequirementSet } from './requirement-sets.ts'

export type AMISelectorTerm = NodeClassSpec['amiSelectorTerms'][number]

/** One DescribeImages query and what holds for its results. */
export interface ImageQuery {
  readonly filters: readonly Filter[]
  /** Empty: not sent, any account's images may answer. */
  readonly owners: readonly string[]
  /** Which machines an image is known to serve, by image id. */
  readonly sets: ReadonlyMap<string, readonly RequirementSet[]>
}

/** `self` and `amazon`: without owners anybody could publish an image of that name. */
const defaultNameOwners = ['self', 'amazon']

/** Whether a term narrows anything down; `tags: {}`, which admission takes, does not. */
export function saysSomething({ name, owner, tags = {} }: AMISelectorTerm): boolean {
  return name !== undefined || (owner ?? '') !== '' || Object.keys(tags).length > 0
}

/** The query of a term that names neither an alias, an id nor a parameter. */
export function queryOfTerm(term: AMISelectorTerm): ImageQuery {
  const filters = [
    ...(term.name === undefined ? [] : [{ Name: 'name', Values: [term.name] }]),
    ...tagFilters(term.tags ?? {}),
  ]
  const owners =
    term.owner !== undefined && term.owner !== '' ? [term.owner] : term.name === undefined ? [] : defaultNameOwners
  return { filters, owners, sets: new Map() }
}

export function queryOfIDs(ids: readonly string[], sets: ImageQuery['sets'] = new Map()): ImageQuery {
  return { filters: [{ Name: 'image-id', Values: [...ids] }], owners: [], sets }
}

/** What a person should look at twice: an image that somebody else could have put there. */
export function termWarnings(terms: readonly AMISelectorTerm[]): string[] {
  return terms.flatMap((term) => {
    const { name, owner, tags } = term
    const foreign = owner !== undefined && owner !== '' && owner !== 'self' && owner !== 'amazon'
    if (name !== undefined && /[*?]/.test(name) && foreign) {
      return [`AMI name "${name}" has a wildcard and the owner "${owner}" is another account`]
    }
    if (tags !== undefined && name === undefined && (owner ?? '') === '' && term.id === undefined) {
      return ['AMI tags without an owner match images of any account']
    }
    return []
  })
}

/** `accountID` is undefined when it could not be found out; `self` is then taken on trust in EC2's own filter. */
export function isAllowedOwner(
  owners: readonly string[],
  image: { readonly ownerID: string | undefined; readonly ownerAlias: string | undefined },
  accountID: string | undefined,
): boolean {
  if (owners.length === 0) return true
  return owners.some((owner) => {
    if (owner === 'self') return accountID === undefined || image.ownerID === accountID
    return image.ownerID === owner || image.ownerAlias === owner
  })
}
