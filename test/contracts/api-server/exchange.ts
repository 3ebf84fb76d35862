export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With its query, from the root. */
  readonly path: string
  readonly body?: unknown
  /** Of the body; JSON unless said. */
  readonly contentType?: string
}

export interface ExchangeResponse {
  readonly status: number
  readonly body: unknown
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[]
}

/** How a scenario reaches an API server. */
export type Send = (request: ExchangeRequest) => Promise<ExchangeResponse>

/** A request, or how to make it from the bodies answered so far. */
type Step = ExchangeRequest | ((bodies: readonly unknown[]) => ExchangeRequest)

/** Requests to a fresh part of a server, each with what it shows. Scenarios do not touch each other's objects. */
export interface Scenario {
  readonly name: string
  /** Field ownership is compared where it is what the scenario is about; elsewhere it would only repeat every object. */
  readonly managedFields?: 'compared'
  /** Set where the server has to know the accounts of pods; a real one then needs Kubernetes' controllers. */
  readonly serviceAccounts?: 'admitted'
  readonly steps: Readonly<Record<string, Step>>
}

/** What an API server answered, without what differs from run to run. */
export interface Answer {
  readonly status: number
  readonly warnings?: readonly string[]
  readonly body: unknown
}

/** Plays the steps in order. The answers of two servers that behave alike are equal. */
export async function play(scenario: Scenario, send: Send): Promise<Record<string, Answer>> {
  const bodies: unknown[] = []
  const versions = new Set<string>()
  const answers: Record<string, Answer> = {}
  for (const [name, step] of Object.entries(scenario.steps)) {
    const { status, body, warnings } = await send(typeof step === 'function' ? step(bodies) : step)
    bodies.push(body)
    collectVersions(body, versions)
    answers[name] = {
      status,
      ...(warnings.length === 0 ? {} : { warnings }),
      body: normalized(body, '', { versions, managedFields: scenario.managedFields === 'compared' }),
    }
  }
  return answers
}

/** What no two servers have in common. */
const dropped = new Set(['resourceVersion', 'uid', 'creationTimestamp', 'selfLink'])
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** Of an object that a message repeats. Their order is that of times in whole seconds, which differs from run to run. */
const quotedManagedFields = /(\\"managedFields\\":)\[.*?\}\](?=\})/g
/** Addresses of services, in the ranges of the two servers. */
const serviceAddress = /\b(10\.96|172\.20)\.\d+\.\d+\b/g
/** Smaller ones are never given to a Service that asks for none. */
const firstGivenNodePort = 30_086
const timestamp = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g

interface Rules {
  /** Resource versions answered so far; they occur in messages too. */
  readonly versions: ReadonlySet<string>
  readonly managedFields: boolean
}

function normalized(value: unknown, key: string, rules: Rules): unknown {
  if (typeof value === 'string') {
    if (key === 'continue') return '<continue>'
    const text = value
      .replace(uuid, '<uid>')
      .replace(timestamp, '<time>')
      .replace(serviceAddress, '<service address>')
      .replace(quotedManagedFields, rules.managedFields ? '$&' : '$1[<entries>]')
    return text.replace(/\b\d+\b/g, (digits) => (rules.versions.has(digits) ? '<version>' : digits))
  }
  if (key === 'nodePort' && typeof value === 'number' && value >= firstGivenNodePort) return '<port>'
  if (Array.isArray(value)) {
    const items = value.map((item) => normalized(item, key, rules))
    return key === 'managedFields' ? sortedByText(items) : items
  }
  if (!isRecord(value)) return value
  const result: Record<string, unknown> = {}
  for (const field of Object.keys(value).sort()) {
    if (dropped.has(field) || (key === 'managedFields' && field === 'time')) continue
    if (field === 'managedFields' && !rules.managedFields) continue
    result[field] = normalized(value[field], field, rules)
  }
  // Kubernetes walks schemas in an order that differs from run to run.
  if (Array.isArray(result['causes'])) result['causes'] = sortedByText(result['causes'])
  if (value['kind'] === 'Status' && typeof result['message'] === 'string') {
    result['message'] = result['message'].replace(/ is invalid: \[.*\]$/s, ' is invalid: [<causes>]')
  }
  const { name, generateName } = value
  if (typeof name === 'string' && typeof generateName === 'string' && name.startsWith(generateName)) {
    result['name'] = `${generateName}<suffix>`
  }
  return result
}

function sortedByText(values: readonly unknown[]): unknown[] {
  const texts = new Map(values.map((value) => [value, JSON.stringify(value)]))
  return values.toSorted((a, b) => ((texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1))
}

/** Resource versions also occur in messages. One- and two-digit ones are left alone: they could be any number. */
function collectVersions(value: unknown, versions: Set<string>): void {
  if (Array.isArray(value)) for (const item of value) collectVersions(item, versions)
  if (!isRecord(value)) return
  const { resourceVersion } = value
  if (typeof resourceVersion === 'string' && resourceVersion.length > 2) versions.add(resourceVersion)
  for (const inner of Object.values(value)) collectVersions(inner, versions)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object a step answered, for the next ones. */
export function bodyAt(
  bodies: readonly unknown[],
  index: number,
): { metadata: { name: string; uid: string; resourceVersion: string; continue?: string } } {
  const body = bodies.at(index)
  if (!isRecord(body) || !isRecord(body['metadata'])) throw new Error(`step ${index} answered no object`)
  return body as { metadata: { name: string; uid: string; resourceVersion: string; continue?: string } }
}
