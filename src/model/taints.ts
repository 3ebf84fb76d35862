import type { Taint, Toleration } from '../api/kubernetes.ts'

/** Kubernetes' toleration matching, the numeric operators of current releases included. */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = '', effect = '' } = toleration
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  switch (operator) {
    case 'Exists':
      return true
    case 'Equal':
    case '':
      return key !== '' && (toleration.value ?? '') === (taint.value ?? '')
    case 'Gt':
    case 'Lt': {
      const wanted = parseDecimal(toleration.value)
      const actual = parseDecimal(taint.value)
      if (wanted === undefined || actual === undefined) return false
      return operator === 'Gt' ? actual > wanted : actual < wanted
    }
  }
}

/** As kube-scheduler reads it: 64 bits, and neither `1e3`, `0x10`, `1.0`, `+1` nor `01` is a number. */
function parseDecimal(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return undefined
  const number = BigInt(text)
  return BigInt.asIntN(64, number) === number ? number : undefined
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
