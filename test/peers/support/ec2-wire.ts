/** A pool of capacity, as one override of a fleet asks for it. */
export interface FleetPool {
  readonly type: string
  readonly zone: string
  readonly lifecycle: 'spot' | 'on-demand'
}

const overrideKey = /^LaunchTemplateConfigs\.(\d+)\.Overrides\.(\d+)\.(.+)$/
const configKey = /^LaunchTemplateConfigs\.(\d+)\./

/**
 * Takes the overrides of empty pools out of a CreateFleet form. `rest` is the form without them, numbered anew; undefined when nothing
 * is left.
 */
export function splitFleet(
  body: string,
  isEmpty: (pool: FleetPool) => boolean,
): { readonly rest: string | undefined; readonly refused: readonly FleetPool[] } {
  const form = [...new URLSearchParams(body)]
  const values = new Map(form)
  const lifecycle =
    values.get('TargetCapacitySpecification.DefaultTargetCapacityType') === 'spot' ? 'spot' : 'on-demand'
  const refused: FleetPool[] = []
  const kept = new Map<string, string>()
  const configs = new Map<string, number>()
  for (const [, config = '', override = ''] of unique(form, overrideKey)) {
    const prefix = `LaunchTemplateConfigs.${config}.Overrides.${override}`
    const pool: FleetPool = {
      type: values.get(`${prefix}.InstanceType`) ?? '',
      zone: values.get(`${prefix}.AvailabilityZone`) ?? '',
      lifecycle,
    }
    if (isEmpty(pool)) {
      refused.push(pool)
      continue
    }
    const count = (configs.get(config) ?? 0) + 1
    configs.set(config, count)
    kept.set(prefix, `LaunchTemplateConfigs.${[...configs.keys()].indexOf(config) + 1}.Overrides.${count}`)
  }
  if (refused.length === 0) return { rest: body, refused }
  if (kept.size === 0) return { rest: undefined, refused }
  const rest = new URLSearchParams()
  for (const [key, value] of form) {
    const override = overrideKey.exec(key)
    const config = configKey.exec(key)?.[1]
    if (override !== null) {
      const prefix = kept.get(`LaunchTemplateConfigs.${override[1]}.Overrides.${override[2]}`)
      if (prefix !== undefined) rest.append(`${prefix}.${override[3]}`, value)
    } else if (config === undefined) rest.append(key, value)
    else if (configs.has(config)) {
      rest.append(key.replace(configKey, `LaunchTemplateConfigs.${[...configs.keys()].indexOf(config) + 1}.`), value)
    }
  }
  return { rest: rest.toString(), refused }
}

/** The matches of a form's keys, one for each override, in the form's order. */
function unique(form: readonly (readonly [string, string])[], pattern: RegExp): readonly RegExpExecArray[] {
  const found = new Map<string, RegExpExecArray>()
  for (const [key] of form) {
    const match = pattern.exec(key)
    if (match !== null && !found.has(`${match[1]}/${match[2]}`)) found.set(`${match[1]}/${match[2]}`, match)
  }
  return [...found.values()]
}

/** What EC2 says of a fleet none of whose pools has capacity. */
export function refusedFleet(refused: readonly FleetPool[]): string {
  return `<CreateFleetResponse><requestId>0</requestId><fleetId>fleet-0</fleetId>${errorSet(refused)}<fleetInstanceSet/></CreateFleetResponse>`
}

/** Adds errors of single pools to an answer that has instances. */
export function withFleetErrors(xml: string, refused: readonly FleetPool[]): string {
  if (refused.length === 0) return xml
  return xml
    .replace(/<errorSet\/>|<errorSet>[\s\S]*?<\/errorSet>/, '')
    .replace('</CreateFleetResponse>', `${errorSet(refused)}</CreateFleetResponse>`)
}

function errorSet(refused: readonly FleetPool[]): string {
  const items = refused.map(
    ({ type, zone, lifecycle }) =>
      `<item><errorCode>InsufficientInstanceCapacity</errorCode><errorMessage>no capacity</errorMessage><lifecycle>${lifecycle}</lifecycle><launchTemplateAndOverrides><overrides><instanceType>${type}</instanceType><availabilityZone>${zone}</availabilityZone></overrides></launchTemplateAndOverrides></item>`,
  )
  return `<errorSet>${items.join('')}</errorSet>`
}

/** A DescribeInstances answer as it is before these instances show up. */
export function withoutInstances(xml: string, ids: readonly string[]): string {
  if (ids.length === 0) return xml
  return xml.replaceAll(/<instancesSet>([\s\S]*?)<\/instancesSet>/g, (_whole, inner: string) => {
    const kept = topItems(inner).filter((item) => !ids.some((id) => item.includes(`<instanceId>${id}<`)))
    return `<instancesSet>${kept.join('')}</instancesSet>`
  })
}

/** The outermost `<item>` elements; items nest. */
function topItems(xml: string): readonly string[] {
  const items: string[] = []
  let depth = 0
  let start = 0
  for (const { 0: tag, index } of xml.matchAll(/<\/?item>/g)) {
    if (tag === '<item>') {
      if (depth === 0) start = index
      depth += 1
    } else {
      depth -= 1
      if (depth === 0) items.push(xml.slice(start, index + tag.length))
    }
  }
  return items
}
