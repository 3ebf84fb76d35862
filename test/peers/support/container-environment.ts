import type { V1Container, V1ResourceFieldSelector } from '@kubernetes/client-node'
import type { Pod } from '../../../src/api/kubernetes.ts'
import { parseQuantity } from '../../../src/model/quantity.ts'

/** By port of a container: that of this machine which stands for it. */
export type Ports = ReadonlyMap<number, number>

/**
 * What a container finds in its environment. Fields of the pod other than its namespace are not known here.
 *
 * @throws Error when it is made of something else
 */
export function environmentOf(pod: Pod, container: V1Container, ports: Ports): Readonly<Record<string, string>> {
  const env: Record<string, string> = {}
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    const { fieldRef, resourceFieldRef } = valueFrom ?? {}
    if (fieldRef?.fieldPath === 'metadata.namespace') env[name] = pod.metadata.namespace ?? ''
    else if (resourceFieldRef !== undefined) env[name] = resourceOf(container, resourceFieldRef)
    else if (valueFrom === undefined) env[name] = withPorts(value, ports)
    else throw new Error(`${name} is of a kind that is not known here: ${JSON.stringify(valueFrom)}`)
  }
  return env
}

function resourceOf({ resources }: V1Container, { resource, divisor = '1' }: V1ResourceFieldSelector): string {
  const [kind = '', name = ''] = resource.split('.')
  const amount = (kind === 'limits' ? resources?.limits : resources?.requests)?.[name]
  if (amount === undefined) throw new Error(`there is no ${resource}`)
  // The API server writes zero where nothing was said.
  const unit = parseQuantity(divisor).nano || 1_000_000_000n
  return String((parseQuantity(amount).nano + unit - 1n) / unit)
}

/** A whole value, or that of a flag, which names a port of the container. */
export function withPorts(text: string, ports: Ports): string {
  for (const [port, own] of ports) {
    if (text === String(port)) return String(own)
    if (text.startsWith('--') && text.endsWith(`=${port}`)) return text.replace(/\d+$/, String(own))
  }
  return text
}

/** By number or name. */
export function numberOf({ ports = [] }: V1Container, port: string | number | undefined): number {
  return typeof port === 'number' ? port : (ports.find(({ name }) => name === port)?.containerPort ?? 0)
}
