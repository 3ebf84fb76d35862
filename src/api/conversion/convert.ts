import { isRecord, jsonEqual } from '../json.ts'
import { nodeClassFromTemplate } from './aws-node-template.ts'
import { applyEdits, type Edit, valueAt } from './edits.ts'
import { workloadWithNewNames } from './old-names.ts'
import type { ConversionPlan, Remark } from './plan.ts'
import { nodePoolFromProvisioner } from './provisioner.ts'
import { mendedNodeClass, mendedNodePool } from './v1.ts'
import { nodeClaimFromV1beta1, nodeClassFromV1beta1, nodePoolFromV1beta1 } from './v1beta1.ts'

const converters: ReadonlyMap<string, (document: unknown) => ConversionPlan | undefined> = new Map([
  ['karpenter.sh/v1beta1 NodePool', nodePoolFromV1beta1],
  ['karpenter.sh/v1beta1 NodeClaim', nodeClaimFromV1beta1],
  ['karpenter.k8s.aws/v1beta1 EC2NodeClass', nodeClassFromV1beta1],
  ['karpenter.sh/v1 NodePool', mendedNodePool],
  ['karpenter.k8s.aws/v1 EC2NodeClass', mendedNodeClass],
  ['karpenter.sh/v1alpha5 Provisioner', nodePoolFromProvisioner],
  ['karpenter.k8s.aws/v1alpha1 AWSNodeTemplate', nodeClassFromTemplate],
])

/** How to bring one document to v1; undefined for what needs no conversion. */
export function planConversion(document: unknown): ConversionPlan | undefined {
  const converter = converters.get(identity(document))
  return converter === undefined ? workloadWithNewNames(document) : converter(document)
}

/** Why a document that no API server takes any more cannot be converted; undefined for what can be, or needs no conversion. */
export function whyInconvertible(document: unknown): string | undefined {
  const known = identity(document)
  if (known === 'karpenter.sh/v1alpha5 Machine')
    return 'Karpenter made the Machines and makes NodeClaims instead: it belongs to no manifest, remove it'
  const [apiVersion = '', kind = ''] = known.split(' ')
  if (!/^karpenter\.(sh|k8s\.aws)\//.test(apiVersion) || isServedVersion(apiVersion) || converters.has(known))
    return undefined
  const sources = [...converters.keys()]
    .map((source) => source.split(' '))
    .flatMap(([version = '', converted]) => (converted === kind && !isServedVersion(version) ? [version] : []))
  return sources.length === 0
    ? undefined
    : `of kind ${kind} only ${sources.join(' and ')} can be converted: bring it to that version first`
}

/** With kinds of its own: what stands there under another's name is for validation to say. */
function isServedVersion(apiVersion: string): boolean {
  return apiVersion === 'karpenter.sh/v1' || apiVersion === 'karpenter.k8s.aws/v1'
}

/**
 * How to bring documents to v1 together, by position: kubelet settings move from the pools to the node classes among them, which
 * may themselves need no other change. Settings without a class, or that contradict those of another pool, are reported as lost.
 * `files` says where each document is from, by position: clusters that have a folder each have classes of the same name.
 */
export function planConversions(
  documents: readonly unknown[],
  files: readonly string[] = documents.map(() => ''),
): (ConversionPlan | undefined)[] {
  const plans = documents.map(planConversion)
  const settled = new Map<number, unknown>()
  for (const [index, plan] of plans.entries()) {
    if (plan?.kubelet === undefined) continue
    const { nodeClass, settings, path } = plan.kubelet
    const named = documents.flatMap((document, at) =>
      isNodeClass(document, plans[at]) && valueAt(document, ['metadata', 'name']) === nodeClass ? [at] : [],
    )
    const target = nearest(named, index, files) ?? -1
    const present = target === -1 ? undefined : (settled.get(target) ?? valueAt(documents[target], ['spec', 'kubelet']))
    if (target !== -1 && present === undefined) {
      settled.set(target, settings)
      plans[target] = withEdit(plans[target], documents[target], {
        op: 'set',
        path: ['spec', 'kubelet'],
        value: settings,
        origin: { document: index, path },
      })
    } else if (!jsonEqual(present, settings)) {
      const missing =
        named.length === 0 ? 'is not among the documents' : 'is in several other folders, and none is known to be meant'
      const message =
        target === -1
          ? `EC2NodeClass ${nodeClass} ${missing}: add the kubelet settings to it by hand`
          : `EC2NodeClass ${nodeClass} has other kubelet settings already: give this pool a class of its own`
      plans[index] = withRemark(plan, { kind: 'lost', path, message })
    }
  }
  return plans
}

/** The converted documents, without regard to how they were written. */
export function convertAll(documents: readonly unknown[]): {
  readonly documents: unknown[]
  readonly plans: (ConversionPlan | undefined)[]
} {
  const plans = planConversions(documents)
  return { plans, documents: documents.map((document, index) => applyEdits(document, plans[index]?.edits ?? [])) }
}

/** Of documents, the one in the same file as this one, or else in the same folder, or else the only one. */
function nearest(candidates: readonly number[], index: number, files: readonly string[]): number | undefined {
  const file = files[index] ?? ''
  return (
    candidates.find((at) => files[at] === file) ??
    candidates.find((at) => folderOf(files[at] ?? '') === folderOf(file)) ??
    (candidates.length === 1 ? candidates[0] : undefined)
  )
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1)
}

function isNodeClass(document: unknown, plan: ConversionPlan | undefined): boolean {
  return plan?.to === 'karpenter.k8s.aws/v1 EC2NodeClass' || identity(document) === 'karpenter.k8s.aws/v1 EC2NodeClass'
}

function identity(document: unknown): string {
  return isRecord(document) ? `${String(document['apiVersion'])} ${String(document['kind'])}` : ''
}

function withEdit(plan: ConversionPlan | undefined, document: unknown, edit: Edit): ConversionPlan {
  const name = identity(document)
  const base = plan ?? { from: name, to: name, edits: [], remarks: [] }
  return { ...base, edits: [...base.edits, edit] }
}

function withRemark(plan: ConversionPlan, remark: Remark): ConversionPlan {
  return { ...plan, remarks: [...plan.remarks, remark] }
}
