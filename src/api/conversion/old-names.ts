import { isRecord } from '../json.ts'
import { annotationDoNotDisrupt, labelNodePool } from '../labels.ts'
import type { Path } from './edits.ts'
import { type ConversionPlan, finish, PlanBuilder } from './plan.ts'

const oldAnnotation = 'karpenter.sh/do-not-evict'
const oldLabel = 'karpenter.sh/provisioner-name'

/**
 * Workloads, of whatever kind, speak of Karpenter by an annotation of their pods and by the label that they select nodes with. Both have other
 * names now, and nobody tells those who write the old ones: the pods are disrupted, or wait. Undefined for an object without either.
 */
export function workloadWithNewNames(document: unknown): ConversionPlan | undefined {
  if (!isRecord(document)) return undefined
  const { apiVersion, kind } = document
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined
  const plan = new PlanBuilder(document)
  renameIn(plan, document, [])
  return plan.edits.length === 0 ? undefined : finish(plan, `${apiVersion} ${kind}`, `${apiVersion} ${kind}`)
}

function renameIn(plan: PlanBuilder, value: unknown, path: Path): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) renameIn(plan, item, [...path, index])
    return
  }
  if (!isRecord(value)) return
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, name]
    if (name === 'annotations') renameKey(plan, at, { from: oldAnnotation, to: annotationDoNotDisrupt })
    else if (name === 'nodeSelector') renameKey(plan, at, { from: oldLabel, to: labelNodePool })
    else if (name === 'topologyKey' && inner === oldLabel) renameValue(plan, at)
    else if (name === 'matchExpressions' && Array.isArray(inner)) {
      for (const [index, expression] of inner.entries())
        if (isRecord(expression) && expression['key'] === oldLabel) renameValue(plan, [...at, index, 'key'])
    } else renameIn(plan, inner, at)
  }
}

/** Where both are there already, the old one goes. */
function renameKey(plan: PlanBuilder, path: Path, { from, to }: { readonly from: string; readonly to: string }): void {
  if (!plan.has(...path, from)) return
  if (plan.has(...path, to)) plan.remove([...path, from])
  else plan.move([...path, from], [...path, to])
  plan.check([...path, from], `${from} is ${to} now`)
}

function renameValue(plan: PlanBuilder, path: Path): void {
  plan.set(path, labelNodePool)
  plan.check(path, `${oldLabel} is ${labelNodePool} now`)
}
