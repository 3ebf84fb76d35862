/** What a kubectl apply of an ordinary pool makes an API server ask: 3.4 KB with the managed fields. */
const pool = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: {
    name: 'default',
    uid: '2c6e4f0e-6c4e-4b6a-9a56-6d6b8a3a2f10',
    generation: 1,
    creationTimestamp: '2026-06-01T00:00:00Z',
    labels: { team: 'platform', 'app.kubernetes.io/managed-by': 'argocd' },
    managedFields: [
      {
        manager: 'argocd-controller',
        operation: 'Apply',
        apiVersion: 'karpenter.sh/v1',
        time: '2026-06-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: Object.fromEntries(
          Array.from({ length: 34 }, (_, index) => [`f:spec-field-${index}`, { 'f:v': {} }]),
        ),
      },
    ],
  },
  spec: {
    weight: 10,
    limits: { cpu: '1000', memory: '4000Gi' },
    template: {
      metadata: { labels: { team: 'platform', tier: 'general' }, annotations: { note: 'x'.repeat(240) } },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        expireAfter: '720h',
        requirements: [
          { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
          { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
          { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'] },
          { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
          { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['2'] },
          { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a', 'us-west-2b', 'us-west-2c'] },
        ],
        taints: [{ key: 'example.com/dedicated', value: 'general', effect: 'NoSchedule' }],
      },
    },
    disruption: {
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      consolidateAfter: '1m',
      budgets: [{ nodes: '10%' }, { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h', reasons: ['Drifted'] }],
    },
  },
}

/** The pool under another name, with other limits, requirements and labels, as many teams have them; of the same length. */
function variant(index: number): typeof pool {
  const digits = String(index).padStart(4, '0')
  const { template, ...spec } = pool.spec
  return {
    ...pool,
    metadata: { ...pool.metadata, name: `team-${digits}` },
    spec: {
      ...spec,
      limits: { cpu: `1${digits}`, memory: `4${digits}Gi` },
      template: {
        metadata: { ...template.metadata, labels: { team: `team-${digits}`, tier: 'general' } },
        spec: {
          ...template.spec,
          requirements: [
            ...template.spec.requirements.slice(0, -1),
            { key: 'topology.kubernetes.io/zone', operator: 'In', values: [`us-west-2-${digits}`] },
          ],
          taints: [{ key: 'example.com/dedicated', value: `team-${digits}`, effect: 'NoSchedule' }],
        },
      },
    },
  }
}

function reviewTextOf(object: typeof pool): string {
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
      resource: { group: 'karpenter.sh', version: 'v1', resource: 'nodepools' },
      requestKind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
      requestResource: { group: 'karpenter.sh', version: 'v1', resource: 'nodepools' },
      name: object.metadata.name,
      operation: 'CREATE',
      userInfo: {
        username: 'system:serviceaccount:argocd:argocd-application-controller',
        groups: ['system:authenticated'],
      },
      object,
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'argocd-controller' },
    },
  })
}

/** So many different pools are asked about in turn where they may be remembered, and so many where none may. */
const variants = 100
const newVariants = 2_000
const largeVariants = 200

export const pools = Array.from({ length: variants }, (_, index) => variant(index))
export const reviewTexts = pools.map(reviewTextOf)
/** More than anything remembers: objects, or parts of them. */
export const newPools = Array.from({ length: newVariants }, (_, index) => variant(variants + index))
export const newReviewTexts = newPools.map(reviewTextOf)

/** Pools as long as they may be: with a hundred requirements and fifty budgets, some 25 KB. */
export const largeReviewTexts = Array.from({ length: largeVariants }, (_, index) =>
  reviewTextOf(enlarged(variant(index))),
)

function enlarged({ spec, ...rest }: typeof pool): typeof pool {
  const { name } = rest.metadata
  const requirements = Array.from({ length: 94 }, (_, index) => ({
    key: `example.com/${name}-${index}`,
    operator: 'NotIn',
    values: [`${name}-a`, `${name}-b`, `value-${index}`],
  }))
  const budgets = Array.from({ length: 48 }, (_, index) => ({
    nodes: `${index + 1}%`,
    schedule: `${index} 9 * * mon-fri`,
    duration: '8h',
    reasons: ['Drifted'],
  }))
  const template = { ...spec.template, spec: { ...spec.template.spec } }
  template.spec.requirements = [...template.spec.requirements, ...requirements]
  const disruption = { ...spec.disruption, budgets: [...spec.disruption.budgets, ...budgets] }
  return { ...rest, spec: { ...spec, template, disruption } }
}
