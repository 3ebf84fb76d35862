import type { LabelVocabulary } from '../../api/label-rules.ts'
import { allows, anyValue } from '../../model/requirement.ts'
import type { PodClass } from '../pod-class.ts'
import type { RequirementSpace, SetID } from '../requirement-space.ts'
import { chooseDomains, domainsToTry, type Question } from './choose.ts'
import type { TopologyCounts } from './counting.ts'
import type { TopologyGroup } from './group.ts'

/** A group that a class must obey, and whether it selects the class's pods. */
export interface Obeyed {
  readonly group: TopologyGroup
  readonly selfSelecting: boolean
}

/** Stands for a target of which nothing is known. */
export const anywhere = -1
/** No domain at all. */
export const nowhere = -1
/** More requirement ids than one snapshot can have, and few enough for two of them to make an exact integer. */
const idRange = 2 ** 22

interface DomainChoiceContext {
  readonly settings: { readonly vocabulary: Pick<LabelVocabulary, 'wellKnown'> }
  readonly requirements: RequirementSpace
  readonly counts: TopologyCounts
}

/** Chooses domains of groups that are not on hostnames; each group remembers its answers. */
export class DomainChoice {
  readonly #context: DomainChoiceContext

  constructor(context: DomainChoiceContext) {
    this.#context = context
  }

  /** Domains, as a set, that the group leaves to a pod of the class on a target that has this requirement on its key; −1 for none. */
  of({ group, selfSelecting }: Obeyed, podClass: PodClass, nodeID: number): SetID {
    const { requirements, settings } = this.#context
    const { key, kind } = group.spec
    // A node without the label is in no domain, so that nobody is near there; of a well-known one it is only not known yet.
    if (kind === 'antiAffinity' && nodeID === anywhere && !settings.vocabulary.wellKnown.has(key))
      return requirements.empty
    const podID = requirements.requirementIDIn(podClass.strict.set, key)
    const question = ((podID + 1) * idRange + nodeID + 1) * 2 + (selfSelecting ? 1 : 0)
    const known = group.answers.get(question)
    if (known !== undefined) return known
    const asked = this.#question(key, { podID, nodeID, selfSelecting })
    const result =
      group.spec.inverse && group.isEmpty
        ? this.#chooseBeforeOwners(key, asked, nodeID)
        : this.#domainSet(key, chooseDomains(group, asked))
    group.answers.set(question, result)
    return result
  }

  /** Where `of` takes one of several domains that would do, all of these in the order to try them; it is the first. */
  toTry({ group, selfSelecting }: Obeyed, podClass: PodClass, nodeID: number): readonly string[] {
    const { key } = group.spec
    const podID = this.#context.requirements.requirementIDIn(podClass.strict.set, key)
    return domainsToTry(group, this.#question(key, { podID, nodeID, selfSelecting }))
  }

  #question(
    key: string,
    {
      podID,
      nodeID,
      selfSelecting,
    }: { readonly podID: number; readonly nodeID: number; readonly selfSelecting: boolean },
  ): Question {
    const { requirements } = this.#context
    return {
      podDomains: podID === -1 ? anyValue(key) : requirements.requirementByID(podID),
      nodeDomains: nodeID === -1 ? anyValue(key) : requirements.requirementByID(nodeID),
      selfSelecting,
    }
  }

  /**
   * Where a pod may go that others want to be away from once they are somewhere. Until then they keep it from nothing: they may fit nowhere, for
   * ever. But where it can be told in which domains it may come to be, those are held against the others when their turn comes.
   */
  #chooseBeforeOwners(key: string, { podDomains, nodeDomains }: Question, nodeID: number): SetID {
    const { requirements, counts } = this.#context
    if (nodeID === anywhere && counts.isOptional(key)) return requirements.empty
    const possible = counts.possible(key).filter((domain) => allows(nodeDomains, domain) && allows(podDomains, domain))
    return possible.length === 0 ? requirements.empty : this.#domainSet(key, possible)
  }

  #domainSet(key: string, domains: readonly string[]): SetID {
    return domains.length === 0 ? nowhere : this.#context.counts.domainSet(key, domains)
  }
}
