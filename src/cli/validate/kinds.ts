/** Kinds that `joinery validate` has a schema for. */
const judged: ReadonlySet<string> = new Set([
  'karpenter.sh/v1/NodePool',
  'karpenter.sh/v1/NodeClaim',
  'karpenter.sh/v1alpha1/NodeOverlay',
  'karpenter.k8s.aws/v1/EC2NodeClass',
  'autoscaling.x-k8s.io/v1beta1/CapacityBuffer',
  'joinery.dev/v1alpha1/RolloutPolicy',
])

export function isJudgedKind(object: { readonly apiVersion?: unknown; readonly kind?: unknown }): boolean {
  return judged.has(`${String(object.apiVersion)}/${String(object.kind)}`)
}

/** Groups whose every kind is ours: a version that we do not know is one that no API server serves any more. */
const ownGroups: ReadonlySet<string> = new Set(['karpenter.sh', 'karpenter.k8s.aws'])

/** What `kubectl apply` would say of a manifest for a version of Karpenter's APIs that is gone; undefined for other objects. */
export function unservedMessage(object: {
  readonly apiVersion?: unknown
  readonly kind?: unknown
}): string | undefined {
  const apiVersion = String(object.apiVersion)
  const [group = ''] = apiVersion.split('/')
  if (!ownGroups.has(group) || isJudgedKind(object)) return undefined
  return `no matches for kind ${JSON.stringify(String(object.kind))} in version ${JSON.stringify(apiVersion)}`
}
