import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import { UsageError } from '../command-line.ts'
import { kindNames } from '../kind-names.ts'

export type ExplainedKind = 'pod' | 'node' | 'nodeclaim' | 'nodepool'

export interface Subject {
  readonly kind: ExplainedKind
  /** Of a pod perhaps as namespace/name. */
  readonly name: string
}

const namesOf: Readonly<Record<ExplainedKind, readonly string[]>> = {
  pod: kindNames(pods, 'po'),
  node: kindNames(nodes, 'no'),
  nodeclaim: kindNames(nodeClaims),
  nodepool: kindNames(nodePools),
}

const kinds = new Map(
  (Object.keys(namesOf) as ExplainedKind[]).flatMap((kind) => namesOf[kind].map((name) => [name, kind] as const)),
)

/**
 * What is to be explained, said in any of the ways that kubectl takes: `pod web`, `Pods web`, `po/web`, `nodepools.karpenter.sh/general`,
 * the last of which is how kubectl itself prints names.
 * @throws UsageError
 */
export function parseSubject(first: string, second: string | undefined): Subject {
  const slash = first.indexOf('/')
  if (slash !== -1 && second !== undefined) {
    throw new UsageError(`${first} names one object, and ${second} would be another: one is explained at a time`)
  }
  const [text, name] = slash === -1 ? [first, second] : [first.slice(0, slash), first.slice(slash + 1)]
  const kind = kinds.get(text.toLowerCase())
  if (kind === undefined) {
    throw new UsageError(`'${text}' is not explained: name a pod, a node, a nodeclaim or a nodepool`)
  }
  if (name === undefined || name === '') throw new UsageError(`name the ${kind} to explain`)
  return { kind, name }
}
