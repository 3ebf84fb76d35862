import { BoundedMemo } from '../api/bounded-memo.ts'
import { byIdentity } from '../model/by-identity.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Quantity } from '../model/quantity.ts'
import type { Resources } from '../model/resources.ts'

/** Namespace and labels as a text: equal for pods that are the same to selectors. */
export function labelsText({ namespace, labels }: PodInfo): string {
  let last = lastTexts.get(labels)
  if (last?.namespace !== namespace) {
    last = { namespace, text: shared(`${namespace}\u0001${mapText(labels)}`) }
    lastTexts.set(labels, last)
  }
  return last.text
}

/** Pods of a workload share their labels; those of several namespaces hardly ever do. */
const lastTexts = new WeakMap<PodInfo['labels'], { readonly namespace: string; readonly text: string }>()

/**
 * Everything that scheduling looks at in a pod, as a text: equal for pods that are alike in it. The pods of a cluster come back with
 * each snapshot, so that one look at each does for all of them.
 */
export const shapeText = byIdentity((pod: PodInfo): string => {
  const last = lastShapes.get(pod.labels)
  if (last !== undefined && areAlike(pod, last.pod)) return last.text
  const text = shared(shapeOf(pod))
  lastShapes.set(pod.labels, { pod, text })
  return text
})

const lastShapes = new WeakMap<PodInfo['labels'], { readonly pod: PodInfo; readonly text: string }>()

/** Seen without writing anything down: the pods of a workload share the objects that say what they have in common. */
function areAlike(a: PodInfo, b: PodInfo): boolean {
  return (
    a.namespace === b.namespace &&
    a.nodeSelector === b.nodeSelector &&
    a.affinity === b.affinity &&
    isSameList(a.tolerations, b.tolerations) &&
    isSameList(a.topologySpreadConstraints, b.topologySpreadConstraints) &&
    isSameList(a.hostPorts, b.hostPorts) &&
    isSameList(a.volumes, b.volumes) &&
    !a.hasResourceClaims &&
    !b.hasResourceClaims &&
    areSameRequests(a.requests, b.requests)
  )
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === 0 && b.length === 0)
}

function areSameRequests(a: Resources, b: Resources): boolean {
  if (a.size !== b.size) return false
  const others = b.entries()
  for (const [name, quantity] of a) {
    const [otherName, otherQuantity] = others.next().value ?? []
    if (name !== otherName || quantity !== otherQuantity) return false
  }
  return true
}

function shapeOf(pod: PodInfo): string {
  const claims = pod.volumes.length === 0 ? '' : pod.volumes.map(({ claimName }) => claimName).join(',')
  const ports = pod.hostPorts.length === 0 ? '' : JSON.stringify(pod.hostPorts)
  return `${labelsText(pod)}|${requestsText(pod.requests)}|${mapText(pod.nodeSelector)}|${ports}|${claims}|${resourceClaimsText(pod)}|${constraintsText(pod)}`
}

/** Pods that share a claim are alike in it; others each want devices of their own. */
function resourceClaimsText({ hasResourceClaims, resourceClaims = [] }: PodInfo): string {
  if (!hasResourceClaims) return ''
  return (
    resourceClaims.map((claim) => (claim.kind === 'named' ? `=${claim.claimName}` : claim.kind)).join(',') || 'some'
  )
}

function constraintsText(pod: PodInfo): string {
  const { affinity, tolerations, topologySpreadConstraints } = pod
  if (affinity === undefined && tolerations.length === 0 && topologySpreadConstraints.length === 0) return ''
  return `${affinity === undefined ? '' : JSON.stringify(affinity)}|${
    tolerations.length === 0 ? '' : JSON.stringify(tolerations)
  }|${topologySpreadConstraints.length === 0 ? '' : JSON.stringify(topologySpreadConstraints)}`
}

/** Pods of a workload name their resources in the same order; others may be told apart by it, which only costs time. */
function requestsText(requests: Resources): string {
  let text = ''
  for (const [name, quantity] of requests) text += `${name}=${quantityText(quantity)},`
  return text
}

const quantityText = byIdentity(({ nano }: Quantity): string => String(nano))

/** The pods of a workload share their labels and selectors, so that one text does for all of them and for every later snapshot. */
const mapText = byIdentity((map: Readonly<Record<string, string>>): string => {
  const keys = Object.keys(map)
  if (keys.length === 0) return ''
  if (keys.length > 1) keys.sort(compareText)
  let text = ''
  for (const key of keys) text += `${key}\u0002${map[key] ?? ''}\u0003`
  return text
})

/** Thousands of pods hold the texts of a few hundred workloads: equal ones once, as long as there are not too many. */
const texts = new BoundedMemo<string, string>(10_000, 2 ** 24)

function shared(text: string): string {
  return texts.of(text, (key) => key)
}
