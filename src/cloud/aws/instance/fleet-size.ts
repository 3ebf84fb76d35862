import type { CreateFleetRequest, FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2'
import { isRecord } from '../../../api/json.ts'

/**
 * EC2 refuses a body that is too large, and does not say what is: sixty types in five zones, of some 100 kB, it takes, a hundred types it does
 * not. A class with subnets in many Local Zones, or with many tags, would get there with less.
 */
const bodyBytesMax = 125_000

/** The request without the dearest of its pools, if it is too large with them. Of each type the cheapest goes last: minValues count types. */
export function withinBody(request: CreateFleetRequest): CreateFleetRequest {
  const configs = request.LaunchTemplateConfigs ?? []
  const overrides = configs.flatMap(({ Overrides = [] }, index) =>
    Overrides.map((override) => ({
      override,
      bytes: bytesOf(`LaunchTemplateConfigs.${index + 1}.Overrides.999`, override),
    })),
  )
  const bare = { ...request, LaunchTemplateConfigs: configs.map(({ Overrides: _left, ...config }) => config) }
  let room = bodyBytesMax - bytesOf('', bare)
  if (overrides.reduce((sum, { bytes }) => sum + bytes, 0) <= room) return request
  const cheapestFirst = overrides.toSorted((a, b) => (a.override.Priority ?? 0) - (b.override.Priority ?? 0))
  const first = new Map(cheapestFirst.toReversed().map((it) => [it.override.InstanceType, it]))
  const others = cheapestFirst.filter((it) => first.get(it.override.InstanceType) !== it)
  const firstOfTypes = cheapestFirst.filter((it) => first.get(it.override.InstanceType) === it)
  const kept = new Set<FleetLaunchTemplateOverridesRequest>()
  for (const { override, bytes } of [...firstOfTypes, ...others]) {
    if (bytes > room) break
    room -= bytes
    kept.add(override)
  }
  return {
    ...request,
    LaunchTemplateConfigs: configs
      .map((config) => ({ ...config, Overrides: (config.Overrides ?? []).filter((override) => kept.has(override)) }))
      .filter(({ Overrides }) => Overrides.length > 0),
  }
}

/** Of a value and what is in it, each with its path, as EC2's query protocol writes them; names of lists may be shorter there. */
function bytesOf(path: string, value: unknown): number {
  if (value === undefined || value === null) return 0
  if (Array.isArray(value))
    return value.reduce<number>((sum, item, index) => sum + bytesOf(`${path}.${index + 1}`, item), 0)
  if (isRecord(value)) {
    return Object.entries(value).reduce(
      (sum, [name, member]) => sum + bytesOf(path === '' ? name : `${path}.${name}`, member),
      0,
    )
  }
  return path.length + 2 + encodeURIComponent(String(value)).length
}
