/** What a CreateFleet form asks for, once for each instance of it; without names and tokens, in alphabetical order. */
export function fleetRequests(body: string): readonly unknown[] {
  const form = new URLSearchParams(body)
  const overrides = new Map<string, string[]>()
  const fields: string[] = []
  for (const [key, value] of form) {
    const [, override, field = ''] = /^(LaunchTemplateConfigs\.\d+\.Overrides\.\d+)\.(.+)$/.exec(key) ?? []
    if (override !== undefined)
      overrides.set(override, [...(overrides.get(override) ?? []), overrideField(field, value)])
    else if (!isNameOrTag.test(key) && key !== capacityKey) fields.push(`${key}=${value}`)
  }
  const request = {
    overrides: [...overrides.values()].map((each) => each.toSorted().join(' ')).toSorted(),
    fields: fields.toSorted(),
    tags: tagsOf(form),
  }
  // Launches that are alike may go in one call, or in several.
  return Array.from({ length: Number(form.get(capacityKey)) }, () => request)
}

/** CreateFleet forms without those that repeat another's client token: a client that got no good answer asks once more, for the same fleet. */
export function distinctFleets(bodies: readonly string[]): readonly string[] {
  return [...new Map(bodies.map((body) => [new URLSearchParams(body).get('ClientToken'), body])).values()]
}

/** The NodePool in whose name a CreateFleet form asks. */
export function poolOfFleet(body: string): string {
  return /^karpenter\.sh\/nodepool=(.*)$/m.exec(tagsOf(new URLSearchParams(body)).join('\n'))?.[1] ?? 'none'
}

/** What a CreateLaunchTemplate form says of the machines, with the user data as text. */
export function templateRequest(body: string, plain: (text: string) => string): unknown {
  const form = new URLSearchParams(body)
  const userData = Buffer.from(form.get(userDataKey) ?? '', 'base64').toString('utf8')
  return {
    fields: [...form]
      .filter(([key]) => !isNameOrTag.test(key) && key !== userDataKey)
      .map(([key, value]) => `${key}=${value}`)
      .toSorted(),
    tags: tagsOf(form),
    userData: plain(userData).split('\n'),
  }
}

const capacityKey = 'TargetCapacitySpecification.TotalTargetCapacity'
const userDataKey = 'LaunchTemplateData.UserData'
const isNameOrTag = /ClientToken|LaunchTemplateName|\.Tag\.\d+\.(?:Key|Value)$/

/** The lists of prices that are carried along have different numbers of digits. */
function overrideField(field: string, value: string): string {
  return `${field}=${field === 'Priority' ? Number(value).toFixed(3) : value}`
}

function tagsOf(form: URLSearchParams): readonly string[] {
  return [...form]
    .filter(([key]) => key.endsWith('.Key'))
    .map(([key, name]) => `${name}=${form.get(key.replace(/Key$/, 'Value')) ?? ''}`)
    .toSorted()
}
