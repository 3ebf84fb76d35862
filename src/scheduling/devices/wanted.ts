import type {
  DeviceClass,
  DeviceConstraint,
  DeviceSelector,
  DeviceSubRequest,
  ResourceClaim,
  Toleration,
} from '../../api/kubernetes.ts'
import { tryParseQuantity } from '../../model/quantity.ts'

/** A resource claim that has to be allocated, in the terms of the search. */
export interface WantedClaim {
  /** `namespace/name`. */
  readonly key: string
  readonly requests: readonly WantedRequest[]
  readonly constraints: readonly { readonly attribute: string; readonly requests: readonly string[] }[]
}

export interface WantedRequest {
  readonly name: string
  /** Administrators look at devices that others use. */
  readonly adminAccess: boolean
  /** In the order to try; more than one only for `firstAvailable`. */
  readonly alternatives: readonly WantedDevices[]
}

export interface WantedDevices {
  /** Of the alternative; empty where the request is the only one. */
  readonly name: string
  readonly deviceClass: string
  /** All that match, or so many. */
  readonly count: number | 'all'
  /** Of the class, then of the request. */
  readonly expressions: readonly string[]
  readonly tolerations: readonly Toleration[]
  /** In 10⁻⁹ units. */
  readonly capacity: ReadonlyMap<string, bigint>
}

export type Understood =
  | { readonly kind: 'wanted'; readonly claim: WantedClaim }
  | { readonly kind: 'problem'; readonly text: string }

/** An allocation names at most so many devices (resource.k8s.io/v1). */
export const devicesPerClaimMax = 32

/** What the claim asks for; or what of it is not understood, which no node can mend. */
export function understandClaim(
  key: string,
  { spec }: ResourceClaim,
  classes: ReadonlyMap<string, DeviceClass>,
): Understood {
  const problem = (text: string): Understood => ({ kind: 'problem', text: `resourceclaim "${key}": ${text}` })
  const constraints: WantedClaim['constraints'][number][] = []
  for (const constraint of spec.devices?.constraints ?? []) {
    const understood = understandConstraint(constraint)
    if (typeof understood === 'string') return problem(understood)
    constraints.push(understood)
  }
  const requests: WantedRequest[] = []
  for (const { name, exactly, firstAvailable } of spec.devices?.requests ?? []) {
    const asked = exactly === undefined ? (firstAvailable ?? []) : [{ ...exactly, name: '' }]
    if (asked.length === 0) return problem(`request ${name} asks for nothing that is known here`)
    const alternatives: WantedDevices[] = []
    for (const one of asked) {
      const understood = understandDevices(one, classes)
      if (typeof understood === 'string') return problem(`request ${name}: ${understood}`)
      alternatives.push(understood)
    }
    requests.push({ name, adminAccess: exactly?.adminAccess === true, alternatives })
  }
  const least = requests.reduce((sum, { alternatives }) => sum + Math.min(...alternatives.map(leastOf)), 0)
  if (least > devicesPerClaimMax) {
    return problem(`${least} devices are more than the ${devicesPerClaimMax} that a claim may have`)
  }
  return { kind: 'wanted', claim: { key, requests, constraints } }
}

function leastOf({ count }: WantedDevices): number {
  return count === 'all' ? 1 : count
}

function understandConstraint({
  matchAttribute,
  distinctAttribute,
  requests = [],
}: DeviceConstraint): string | WantedClaim['constraints'][number] {
  if (distinctAttribute !== undefined) return 'DistinctAttribute constraints not done yet'
  if (matchAttribute === undefined) return 'a constraint is of no kind that is known here'
  return { attribute: matchAttribute, requests }
}

function understandDevices(
  asked: DeviceSubRequest & { readonly name: string },
  classes: ReadonlyMap<string, DeviceClass>,
): string | WantedDevices {
  const { name, deviceClassName, selectors = [], allocationMode = 'ExactCount', count = 1, tolerations = [] } = asked
  const deviceClass = classes.get(deviceClassName)
  if (deviceClass === undefined) return `deviceclass "${deviceClassName}" not found`
  const expressions: string[] = []
  for (const { cel } of [...(deviceClass.spec.selectors ?? []), ...selectors] satisfies DeviceSelector[]) {
    if (cel === undefined) return 'only CEL selectors are understood'
    expressions.push(cel.expression)
  }
  if (allocationMode !== 'ExactCount' && allocationMode !== 'All') {
    return `allocation mode ${allocationMode} is not understood`
  }
  const capacity = new Map<string, bigint>()
  for (const [resource, text] of Object.entries(asked.capacity?.requests ?? {})) {
    const quantity = tryParseQuantity(text)
    if (quantity === undefined) return `capacity ${resource} is no quantity: ${text}`
    capacity.set(resource, quantity.nano)
  }
  return {
    name,
    deviceClass: deviceClassName,
    count: allocationMode === 'All' ? 'all' : count,
    expressions,
    tolerations: tolerations.flatMap(asToleration),
    capacity,
  }
}

/** Tolerations of devices are a subset of those of pods. */
function asToleration(given: NonNullable<DeviceSubRequest['tolerations']>[number]): Toleration[] {
  const { key, operator = 'Equal', value, effect } = given
  if (operator !== 'Equal' && operator !== 'Exists') return []
  if (effect !== undefined && effect !== '' && !isEffect(effect)) return []
  return [
    {
      operator,
      ...(key === undefined ? {} : { key }),
      ...(value === undefined ? {} : { value }),
      ...(isEffect(effect) ? { effect } : {}),
    },
  ]
}

function isEffect(effect: string | undefined): effect is 'NoSchedule' | 'NoExecute' {
  return effect === 'NoSchedule' || effect === 'NoExecute'
}
