import { isRecord } from '../../api/json.ts'
import { parseInstanceTypeCatalog } from '../../api/validators.ts'
import { tryParseQuantity } from '../../model/quantity.ts'
import type { PartialObject } from '../input/documents.ts'
import type { ShapeProblem } from '../input/problem-line.ts'

type Path = readonly (string | number)[]

/**
 * What must hold of core objects before they can be simulated: the API server would have refused them otherwise. Karpenter's kinds
 * are judged by their schemas instead.
 */
export function coreShapeProblems(object: PartialObject): readonly ShapeProblem[] {
  const problems: ShapeProblem[] = []
  requireName(object, problems)
  switch (object.kind ?? '') {
    case 'Pod':
      checkPodSpec(object['spec'], ['spec'], problems)
      break
    case 'PodTemplate':
      checkTemplate(object['template'], ['template'], problems)
      break
    case 'DaemonSet':
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet':
      checkWorkload(object['spec'], problems)
      break
    case 'Node':
      checkNodeStatus(object['status'], problems)
      break
    case 'DeviceClass':
      requireRecord(object['spec'], ['spec'], problems)
      break
    case 'ResourceClaim':
      checkResourceClaim(object['spec'], problems)
      checkAllocation(object['status'], problems)
      break
    case 'ResourceSlice':
      checkResourceSlice(object['spec'], problems)
      break
    case 'PersistentVolumeClaim':
    case 'PersistentVolume':
    case 'CSINode':
    case 'PodDisruptionBudget':
      requireRecord(object['spec'], ['spec'], problems)
      break
    default:
      break
  }
  return problems
}

/** What keeps instance types from being read; they have no definition of an API server, which would say more. */
export function catalogueProblems(object: PartialObject): readonly ShapeProblem[] {
  if (object.kind !== 'InstanceTypeCatalog') return []
  const parsed = parseInstanceTypeCatalog(object)
  if (parsed.kind === 'ok') return []
  return parsed.errors.map(({ path, message }) => ({
    path: path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
    message,
  }))
}

function requireName(object: PartialObject, problems: ShapeProblem[]): void {
  const { metadata } = object
  if (!isRecord(metadata) || typeof metadata['name'] !== 'string' || metadata['name'] === '') {
    problems.push({ path: ['metadata', 'name'], message: 'Required value' })
  }
}

function checkWorkload(spec: unknown, problems: ShapeProblem[]): void {
  if (!requireRecord(spec, ['spec'], problems)) return
  checkTemplate(spec['template'], ['spec', 'template'], problems)
  const { replicas } = spec
  if (replicas !== undefined && (!Number.isInteger(replicas) || Number(replicas) < 0)) {
    problems.push({
      path: ['spec', 'replicas'],
      message: `Invalid value: ${JSON.stringify(replicas)}: must be greater than or equal to 0`,
    })
  }
}

function checkTemplate(template: unknown, path: Path, problems: ShapeProblem[]): void {
  if (requireRecord(template, path, problems)) checkPodSpec(template['spec'], [...path, 'spec'], problems)
}

function checkPodSpec(spec: unknown, path: Path, problems: ShapeProblem[]): void {
  if (!requireRecord(spec, path, problems)) return
  const { containers, initContainers, overhead, resources } = spec
  if (!Array.isArray(containers) || containers.length === 0) {
    problems.push({ path: [...path, 'containers'], message: 'Required value' })
  }
  checkContainers(containers, [...path, 'containers'], problems)
  checkContainers(initContainers, [...path, 'initContainers'], problems)
  checkAmounts(overhead, [...path, 'overhead'], problems)
  checkResources(resources, [...path, 'resources'], problems)
  checkSpread(spec['topologySpreadConstraints'], [...path, 'topologySpreadConstraints'], problems)
}

function checkSpread(constraints: unknown, path: Path, problems: ShapeProblem[]): void {
  if (!Array.isArray(constraints)) return
  for (const [index, constraint] of constraints.entries()) {
    if (!requireRecord(constraint, [...path, index], problems)) continue
    const { maxSkew, topologyKey } = constraint
    if (!Number.isInteger(maxSkew) || Number(maxSkew) < 1) {
      const message = `Invalid value: ${JSON.stringify(maxSkew ?? null)}: must be greater than zero`
      problems.push({ path: [...path, index, 'maxSkew'], message })
    }
    if (typeof topologyKey !== 'string' || topologyKey === '') {
      problems.push({ path: [...path, index, 'topologyKey'], message: 'Required value: can not be empty' })
    }
  }
}

function checkContainers(containers: unknown, path: Path, problems: ShapeProblem[]): void {
  if (!Array.isArray(containers)) return
  for (const [index, container] of containers.entries()) {
    if (requireRecord(container, [...path, index], problems)) {
      checkResources(container['resources'], [...path, index, 'resources'], problems)
    }
  }
}

function checkResources(resources: unknown, path: Path, problems: ShapeProblem[]): void {
  if (resources === undefined || resources === null) return
  if (!requireRecord(resources, path, problems)) return
  checkAmounts(resources['requests'], [...path, 'requests'], problems)
  checkAmounts(resources['limits'], [...path, 'limits'], problems)
}

function checkNodeStatus(status: unknown, problems: ShapeProblem[]): void {
  if (!isRecord(status)) return
  checkAmounts(status['capacity'], ['status', 'capacity'], problems)
  checkAmounts(status['allocatable'], ['status', 'allocatable'], problems)
}

function checkAmounts(amounts: unknown, path: Path, problems: ShapeProblem[]): void {
  if (amounts === undefined || amounts === null) return
  if (!requireRecord(amounts, path, problems)) return
  for (const [name, amount] of Object.entries(amounts)) checkAmount(amount, [...path, name], problems)
}

function checkAmount(amount: unknown, path: Path, problems: ShapeProblem[]): void {
  const quantity = typeof amount === 'string' || typeof amount === 'number' ? tryParseQuantity(amount) : undefined
  const invalid = `Invalid value: ${JSON.stringify(amount)}: `
  if (quantity === undefined) {
    const message = `${invalid}quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`
    problems.push({ path, message })
  } else if (quantity.isNegative) {
    problems.push({ path, message: `${invalid}must be greater than or equal to 0` })
  }
}

function checkResourceClaim(spec: unknown, problems: ShapeProblem[]): void {
  if (!requireRecord(spec, ['spec'], problems)) return
  const devices = isRecord(spec['devices']) ? spec['devices'] : {}
  const requests = Array.isArray(devices['requests']) ? devices['requests'] : []
  for (const [index, request] of requests.entries()) {
    const path = ['spec', 'devices', 'requests', index]
    if (!requireRecord(request, path, problems)) continue
    const { name, exactly, firstAvailable } = request
    if (typeof name !== 'string' || name === '') problems.push({ path: [...path, 'name'], message: 'Required value' })
    if (isRecord(exactly) === Array.isArray(firstAvailable)) {
      problems.push({ path, message: 'exactly one of `exactly` or `firstAvailable` is required' })
    }
  }
}

function checkAllocation(status: unknown, problems: ShapeProblem[]): void {
  const allocation = isRecord(status) ? status['allocation'] : undefined
  const devices = isRecord(allocation) ? allocation['devices'] : undefined
  const path = ['status', 'allocation', 'devices', 'results']
  for (const [index, result] of recordsOf(isRecord(devices) ? devices['results'] : undefined)) {
    checkAmounts(result['consumedCapacity'], [...path, index, 'consumedCapacity'], problems)
  }
}

function checkResourceSlice(spec: unknown, problems: ShapeProblem[]): void {
  if (!requireRecord(spec, ['spec'], problems)) return
  const { driver, pool, devices, sharedCounters } = spec
  if (typeof driver !== 'string' || driver === '')
    problems.push({ path: ['spec', 'driver'], message: 'Required value' })
  if (requireRecord(pool, ['spec', 'pool'], problems)) {
    for (const field of ['generation', 'resourceSliceCount']) {
      if (!Number.isInteger(pool[field])) problems.push({ path: ['spec', 'pool', field], message: 'Required value' })
    }
  }
  for (const [index, device] of (Array.isArray(devices) ? devices : []).entries()) {
    const path = ['spec', 'devices', index]
    if (!requireRecord(device, path, problems)) continue
    checkValues(device['capacity'], [...path, 'capacity'], problems)
    for (const [name, entry] of Object.entries(isRecord(device['capacity']) ? device['capacity'] : {})) {
      checkRequestPolicy(isRecord(entry) ? entry['requestPolicy'] : undefined, [...path, 'capacity', name], problems)
    }
    for (const [at, consumed] of recordsOf(device['consumesCounters'])) {
      checkValues(consumed['counters'], [...path, 'consumesCounters', at, 'counters'], problems)
    }
  }
  for (const [index, set] of recordsOf(sharedCounters)) {
    checkValues(set['counters'], ['spec', 'sharedCounters', index, 'counters'], problems)
  }
}

/** Of capacities and counters, each of which has its amount as `value`. */
function checkValues(entries: unknown, path: Path, problems: ShapeProblem[]): void {
  if (!isRecord(entries)) return
  const amounts = Object.entries(entries).map(([name, entry]) => [name, isRecord(entry) ? entry['value'] : entry])
  checkAmounts(Object.fromEntries(amounts), path, problems)
}

function checkRequestPolicy(policy: unknown, at: Path, problems: ShapeProblem[]): void {
  if (!isRecord(policy)) return
  const path = [...at, 'requestPolicy']
  const { default: fallback, validValues, validRange } = policy
  if (fallback !== undefined) checkAmount(fallback, [...path, 'default'], problems)
  for (const [index, value] of (Array.isArray(validValues) ? validValues : []).entries()) {
    checkAmount(value, [...path, 'validValues', index], problems)
  }
  checkAmounts(validRange, [...path, 'validRange'], problems)
}

function recordsOf(list: unknown): readonly (readonly [number, Record<string, unknown>])[] {
  return [...(Array.isArray(list) ? list : []).entries()].flatMap(([index, entry]) =>
    isRecord(entry) ? [[index, entry] as const] : [],
  )
}

function requireRecord(value: unknown, path: Path, problems: ShapeProblem[]): value is Record<string, unknown> {
  if (isRecord(value)) return true
  const message = value === undefined || value === null ? 'Required value' : 'Invalid value: must be of type object'
  problems.push({ path, message })
  return false
}
