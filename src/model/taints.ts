import type { Taint, Toleration } from '../api/kubernetes.ts'

/** Kubernetes' toleration matching, the numeric operators of current releases included. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false
  const key = toleration.key ?? ''
  if (key !== '' && key !== taint.key) return false
  const operator = toleration.operator ?? 'Equal'
  switch (operator) {
    case 'Exists':
      return true
    case 'Equal':
      return key !== '' && (toleration.value ?? '') === (taint.value ?? '')
    case 'Gt':
    case 'Lt': {
      const wanted = Number(toleration.value)
      const actual = Number(taint.value)
      if (!Number.isSafeInteger(wanted) || !Number.isSafeInteger(actual)) return false
      return operator === 'Gt' ? actual > wanted : actual < wanted
    }
  }
}

/** Taints of every effect count, PreferNoSchedule included. */
export function untoleratedTaints(taints: readonly Taint[], tolerations: readonly Toleration[]): readonly Taint[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
}

/** `key=value:Effect`, or `key:Effect` without a value. */
export function taintText(taint: Taint): string {
  const value = taint.value ?? ''
  return value === '' ? `${taint.key}:${taint.effect}` : `${taint.key}=${value}:${taint.effect}`
}

/** Same key and effect; the value does not matter. */
export function matchesTaint(a: Pick<Taint, 'key' | 'effect'>, b: Pick<Taint, 'key' | 'effect'>): boolean {
  return a.key === b.key && a.effect === b.effect
}
