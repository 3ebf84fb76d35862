import type { Taint } from '../../../api/kubernetes.ts'
import { compareText } from '../../../model/order.ts'
import { canonicalText } from '../canonical.ts'
import type { UserDataInputs } from '../userdata/inputs.ts'

/**
 * Says what a template's user data is made from, and what it comes to: a version that renders the same inputs otherwise makes templates of
 * its own, where those in constant use would keep the text of the version before. Taints are a set, but nameservers are asked and ciphers are
 * offered in the order in which the kubelet's settings list them.
 */
export function userDataKey(inputs: UserDataInputs, render: (inputs: UserDataInputs) => string): string {
  const rendered = render({ ...inputs, taints: inputs.taints.toSorted(byText), labels: inKeyOrder(inputs.labels) })
  const kubelet = inListOrder(inputs.kubelet)
  return canonicalText({ ...inputs, kubelet, rawKubelet: inListOrder(inputs.rawKubelet), rendered })
}

function byText(a: Taint, b: Taint): number {
  return compareText(canonicalText(a), canonicalText(b))
}

function inKeyOrder(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => compareText(a, b)))
}

/** With each list as one text. */
function inListOrder(settings: object): object {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
  )
}
