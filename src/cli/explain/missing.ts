import { didYouMean, nearName } from '../input/near-name.ts'
import type { SimulationObjects } from '../simulate/objects.ts'
import type { ExplainedKind } from './subject.ts'

export interface PodKey {
  readonly namespace: string
  readonly name: string
}

/** Of an object that is not there; `place`: where it was looked for. */
export function missingText(
  kind: Exclude<ExplainedKind, 'pod'>,
  name: string,
  objects: SimulationObjects,
  place: string,
): string {
  const { nodes, nodeClaims, nodePools } = objects
  const known = { node: nodes, nodeclaim: nodeClaims, nodepool: nodePools }[kind]
  const names = known.map(({ metadata }) => metadata.name)
  return `there is no ${kind} ${name} in ${place}${suggested(name, names)}`
}

/** Names the namespace, which may be one that nobody chose, and where else there is such a pod. */
export function missingPodText({ namespace, name }: PodKey, { pods }: SimulationObjects, place: string): string {
  const namespaceOf = ({ metadata }: (typeof pods)[number]): string => metadata.namespace ?? ''
  const elsewhere = pods.filter(({ metadata }) => metadata.name === name).map(namespaceOf)
  const text = `there is no pod ${name} in namespace ${namespace} of ${place}`
  if (elsewhere.length > 0) return `${text}; there is one in ${elsewhere.toSorted().join(', ')}`
  const beside = pods.filter((pod) => namespaceOf(pod) === namespace).map(({ metadata }) => metadata.name)
  return `${text}${suggested(name, beside)}`
}

function suggested(name: string, known: readonly string[]): string {
  const near = nearName(name, known)
  return near === undefined ? '' : `. ${didYouMean(near)}`
}
