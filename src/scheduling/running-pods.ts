import type { PodAffinityTerm } from '../api/kubernetes.ts'
import { byIdentity } from '../model/by-identity.ts'
import { isActive, type PodInfo } from '../model/pod.ts'
import type { Quantity } from '../model/quantity.ts'
import { labelsText } from './pod-shape.ts'

/** What preparing a solve reads of the pods on a node. */
interface RunningPods {
  /** All amounts that they ask for, equal ones once, in the order in which they are named. */
  readonly amounts: readonly (readonly [string, Quantity])[]
  /** Active ones by namespace and labels. */
  readonly alike: readonly AlikePods[]
  /** Those with required anti-affinity. */
  readonly apart: readonly ApartPod[]
}

interface AlikePods {
  readonly labelsText: string
  readonly example: PodInfo
  count: number
}

interface ApartPod {
  readonly pod: PodInfo
  /** Pods with equal texts keep the same pods away from themselves. */
  readonly text: string
}

/** One walk over the pods does for every snapshot in which the node has the same ones. */
export const runningPods = byIdentity((pods: readonly PodInfo[]): RunningPods => {
  const seen = new Map<string, Set<Quantity>>()
  const amounts: (readonly [string, Quantity])[] = []
  const alike = new Map<string, AlikePods>()
  const apart: ApartPod[] = []
  for (const pod of pods) {
    for (const amount of pod.requests) {
      const [name, quantity] = amount
      const known = seen.get(name)
      if (known?.has(quantity) === true) continue
      if (known === undefined) seen.set(name, new Set([quantity]))
      else known.add(quantity)
      amounts.push(amount)
    }
    if (isActive(pod)) {
      const text = labelsText(pod)
      const same = alike.get(text)
      if (same === undefined) alike.set(text, { labelsText: text, example: pod, count: 1 })
      else same.count += 1
    }
    const terms = pod.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    if (terms === undefined || terms.length === 0) continue
    const own = terms.some(readsOwnLabels) ? JSON.stringify(pod.labels) : ''
    apart.push({ pod, text: `${pod.namespace}${JSON.stringify(terms)}${JSON.stringify(pod.tolerations)}${own}` })
  }
  return { amounts, alike: [...alike.values()], apart }
})

function readsOwnLabels({ matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm): boolean {
  return matchLabelKeys.length + mismatchLabelKeys.length > 0
}
