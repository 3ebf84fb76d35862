import type { ApiCase, CaseKind, Change } from './api-cases/case.ts'
import { ec2NodeClassCases } from './api-cases/ec2-node-class.ts'
import { nodeClaimCases, nodeOverlayCases } from './api-cases/node-claim-and-overlay.ts'
import { nodePoolCases } from './api-cases/node-pool.ts'

export type { ApiCase, CaseKind, Change } from './api-cases/case.ts'

/** What admission says about small objects: for our own validation and, beside it, for a real API server with our CRDs. */
export const apiCases: readonly ApiCase[] = [
  ...nodePoolCases,
  ...nodeClaimCases,
  ...nodeOverlayCases,
  ...ec2NodeClassCases,
]

export interface CaseObject {
  readonly apiVersion: string
  readonly kind: CaseKind
  readonly metadata: { readonly name: string; readonly [field: string]: unknown }
  readonly spec: Readonly<Record<string, unknown>>
}

/** The base object of the kind, with the change applied. */
export function caseObject(kind: CaseKind, change: Change, name = 'default'): CaseObject {
  const object: CaseObject = {
    apiVersion: apiVersions[kind],
    kind,
    metadata: { name },
    spec: structuredClone(bases[kind]),
  }
  for (const [path, value] of Object.entries(change)) {
    setAt(object, path.startsWith('metadata.') ? path.split('.') : ['spec', ...path.split('.')], value)
  }
  return object
}

/** For a test table: what the case is called. */
export function caseTitle({ number, kind, name, old, want }: ApiCase): string {
  return `case ${number}: ${kind}${old === undefined ? '' : ' update'}: ${name} is ${want === 'accepted' ? 'accepted' : 'refused'}`
}

const apiVersions: Readonly<Record<CaseKind, string>> = {
  NodePool: 'karpenter.sh/v1',
  NodeClaim: 'karpenter.sh/v1',
  NodeOverlay: 'karpenter.sh/v1alpha1',
  EC2NodeClass: 'karpenter.k8s.aws/v1',
}

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'Exists' }]
const everything = [{ tags: { '*': '*' } }]

const bases: Readonly<Record<CaseKind, Readonly<Record<string, unknown>>>> = {
  NodePool: { template: { spec: { nodeClassRef, requirements } } },
  NodeClaim: { nodeClassRef, requirements },
  NodeOverlay: { requirements },
  EC2NodeClass: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    role: 'role-1',
    subnetSelectorTerms: everything,
    securityGroupSelectorTerms: everything,
  },
}

function setAt(root: object, path: readonly string[], value: unknown): void {
  let at = root as Record<string, unknown>
  for (const step of path.slice(0, -1)) {
    at[step] ??= {}
    at = at[step] as Record<string, unknown>
  }
  const last = path.at(-1) ?? ''
  if (value === undefined) delete at[last]
  else at[last] = structuredClone(value)
}
