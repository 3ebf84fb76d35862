import { isRecord, memberOf } from '../../api/json.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { restText } from '../../model/list-text.ts'
import { intersects } from '../../model/requirements.ts'
import { templateRequirements } from '../pool-requirements.ts'
import type { Rule } from '../rule.ts'

export const overlappingPools: Rule = {
  id: 'JN-211',
  title: 'Two NodePools of equal weight overlap',
  severity: 'warn',
  looksAt: 'world',
  fix: 'Give the pools different weights, or keep them apart by taints or requirements.',
  check(subject, { facts }) {
    if (subject.kind !== 'NodePool' || subject.object.spec.replicas !== undefined) return []
    const { object } = subject
    const taints = taintsText(object)
    const names = (facts.nodePools ?? [])
      .filter(
        (other) =>
          other.metadata.name !== object.metadata.name &&
          other.metadata.deletionTimestamp === undefined &&
          hasTemplate(other) &&
          other.spec.replicas === undefined &&
          hasSameController(other, object) &&
          (other.spec.weight ?? 0) === (object.spec.weight ?? 0) &&
          taintsText(other) === taints &&
          intersects(templateRequirements(object), templateRequirements(other)),
      )
      .map((other) => other.metadata.name)
      .sort()
    const [first] = names
    if (first === undefined) return []
    return [
      {
        path: 'spec.weight',
        message: `the same pods fit ${first.slice(0, 40)}${restText(names.length, 1, 'more')} at the same weight: the later name is tried first`,
      },
    ]
  },
}

/** Nobody has vouched for the shape of what is stored: a definition of another version may have let it in. */
function hasTemplate(pool: NodePool): boolean {
  const template = memberOf(memberOf(memberOf(pool, 'spec'), 'template'), 'spec')
  return Array.isArray(memberOf(template, 'requirements')) && isRecord(memberOf(template, 'nodeClassRef'))
}

/** Weights mean nothing between pools of two controllers, each of which knows only its own. */
function hasSameController(one: NodePool, other: NodePool): boolean {
  const [a, b] = [one.spec.template.spec.nodeClassRef, other.spec.template.spec.nodeClassRef]
  return a.group === b.group && a.kind === b.kind
}

/** Each pool is held against all others whenever one is judged. */
const taintsBefore = new WeakMap<NodePool, string>()

function taintsText(pool: NodePool): string {
  const known = taintsBefore.get(pool)
  if (known !== undefined) return known
  const text = (pool.spec.template.spec.taints ?? [])
    .map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`)
    .sort()
    .join(',')
  taintsBefore.set(pool, text)
  return text
}
