import { parseQuantity, Quantity } from '../../../model/quantity.ts'
import { forbidden } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, textMapAt, withAt } from '../json.ts'
import { type IncomingObject, nameOf, type StoredObject } from '../object.ts'
import type { KindDefinition } from '../registry/definition.ts'
import { qosClassOf } from '../registry/qos.ts'
import type { ApiContext } from './context.ts'

/** As kube-apiserver's admission plugin LimitRanger, by what is in the object's namespace: https://kubernetes.io/docs/concepts/policy/limit-range/ */

/** Where the plugin writes down what it has filled in. */
const annotation = 'kubernetes.io/limit-ranger'

type Amounts = Readonly<Record<string, Quantity>>

/** A new pod with the requests and limits that its containers lack and the namespace has defaults for. */
export function withDefaultLimits(context: ApiContext, pod: IncomingObject): IncomingObject {
  let filled = pod
  for (const range of rangesBeside(context, pod)) filled = filledBy(range, filled)
  if (filled === pod) return pod
  return withAt(filled, ['status', 'qosClass'], qosClassOf(objectAt(filled, 'spec') ?? {}))
}

/** Refuses a new pod, or a new or changed claim, that asks for more or less than its namespace allows. */
export function enforceLimits(
  context: ApiContext,
  definition: KindDefinition,
  object: IncomingObject,
  old?: StoredObject,
): void {
  const isPod = definition.table === '/pods'
  if (isPod ? old !== undefined : definition.table !== '/persistentvolumeclaims') return
  if (old?.metadata.deletionTimestamp !== undefined) return
  for (const range of rangesBeside(context, object)) {
    const items = arrayAt(range, 'spec', 'limits')
    const found = items.flatMap((item) => (isPod ? podProblems(item, object) : claimProblems(item, object)))
    const problems = [...new Set(found)]
    if (problems.length > 0) {
      throw forbidden(
        definition,
        nameOf(object),
        problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`,
      )
    }
  }
}

function rangesBeside({ store }: ApiContext, object: IncomingObject): readonly StoredObject[] {
  if (store.count('/limitranges') === 0) return []
  return store.list('/limitranges', `${textAt(object, 'metadata', 'namespace') ?? ''}/`)
}

function filledBy(range: StoredObject, pod: IncomingObject): IncomingObject {
  const ofContainers = arrayAt(range, 'spec', 'limits').filter((item) => textAt(item, 'type') === 'Container')
  const limits: Record<string, string> = {}
  const requests: Record<string, string> = {}
  for (const item of ofContainers) {
    Object.assign(limits, textMapAt(item, 'default'))
    Object.assign(requests, textMapAt(item, 'defaultRequest'))
  }
  const told: string[] = []
  let filled = pod
  for (const [list, title] of [
    ['containers', 'container'],
    ['initContainers', 'init container'],
  ] as const) {
    const containers = arrayAt(pod, 'spec', list)
    if (containers.length === 0) continue
    const next = containers.map((container) => {
      if (!isObject(container)) return container
      const name = textAt(container, 'name') ?? ''
      const missing = {
        requests: missingIn(container, 'requests', requests),
        limits: missingIn(container, 'limits', limits),
      }
      let complete = container
      for (const kind of ['requests', 'limits'] as const) {
        const names = Object.keys(missing[kind]).sort()
        if (names.length === 0) continue
        told.push(`${names.join(', ')} ${kind.slice(0, -1)} for ${title} ${name}`)
        complete = withAt(complete, ['resources', kind], {
          ...textMapAt(container, 'resources', kind),
          ...missing[kind],
        })
      }
      return complete
    })
    filled = withAt(filled, ['spec', list], next)
  }
  if (told.length === 0) return pod
  return withAt(filled, ['metadata', 'annotations'], {
    ...textMapAt(pod, 'metadata', 'annotations'),
    [annotation]: `LimitRanger plugin set: ${told.join('; ')}`,
  })
}

function missingIn(
  container: JsonObject,
  kind: 'requests' | 'limits',
  defaults: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const given = textMapAt(container, 'resources', kind)
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => given[name] === undefined))
}

interface Asked {
  readonly requests: Amounts
  readonly limits: Amounts
}

function podProblems(item: unknown, pod: IncomingObject): readonly string[] {
  const type = textAt(item, 'type')
  if (type === 'Container') {
    const containers = [...arrayAt(pod, 'spec', 'containers'), ...arrayAt(pod, 'spec', 'initContainers')]
    return containers.flatMap((container) =>
      problemsOf(item, { requests: amountsAt(container, 'requests'), limits: amountsAt(container, 'limits') }),
    )
  }
  if (type !== 'Pod') return []
  return problemsOf(item, { requests: amountsOfPod(pod, 'requests'), limits: amountsOfPod(pod, 'limits') })
}

function problemsOf(item: unknown, asked: Asked): readonly string[] {
  return [
    ...constraints(item, 'min', (name, bound, per) => {
      const start = `minimum ${name} usage per ${per} is ${bound.toString()}`
      const { [name]: request } = asked.requests
      const { [name]: limit } = asked.limits
      if (request === undefined) return `${start}.  No request is specified`
      if (isLess(request, bound)) return `${start}, but request is ${request.toString()}`
      return limit !== undefined && isLess(limit, bound) ? `${start}, but limit is ${limit.toString()}` : undefined
    }),
    ...constraints(item, 'max', (name, bound, per) => {
      const start = `maximum ${name} usage per ${per} is ${bound.toString()}`
      const { [name]: request } = asked.requests
      const { [name]: limit } = asked.limits
      if (limit === undefined) return `${start}.  No limit is specified`
      if (isLess(bound, limit)) return `${start}, but limit is ${limit.toString()}`
      return request !== undefined && isLess(bound, request)
        ? `${start}, but request is ${request.toString()}`
        : undefined
    }),
    ...constraints(item, 'maxLimitRequestRatio', (name, bound, per) => {
      const start = `${name} max limit to request ratio per ${per} is ${bound.toString()}`
      const request = asked.requests[name] ?? Quantity.zero
      const limit = asked.limits[name] ?? Quantity.zero
      if (request.isZero) return `${start}, but no request is specified or request is 0`
      if (limit.isZero) return `${start}, but no limit is specified or limit is 0`
      const ratio = limit.toNumber() / request.toNumber()
      return ratio > bound.toNumber() ? `${start}, but provided ratio is ${ratio.toFixed(6)}` : undefined
    }),
  ]
}

function claimProblems(item: unknown, claim: IncomingObject): readonly string[] {
  if (textAt(item, 'type') !== 'PersistentVolumeClaim') return []
  const requests = toAmounts(textMapAt(claim, 'spec', 'resources', 'requests'))
  return [
    ...problemsOf({ type: textAt(item, 'type'), min: objectAt(item, 'min') }, { requests, limits: {} }),
    ...constraints(item, 'max', (name, bound, per) => {
      const start = `maximum ${name} usage per ${per} is ${bound.toString()}`
      const request = requests[name]
      if (request === undefined) return `${start}.  No request is specified`
      return isLess(bound, request) ? `${start}, but request is ${request.toString()}` : undefined
    }),
  ]
}

/** In the order of the names: a real server's is that of a Go map, which is none. */
function constraints(
  item: unknown,
  kind: 'min' | 'max' | 'maxLimitRequestRatio',
  problem: (name: string, bound: Quantity, per: string) => string | undefined,
): readonly string[] {
  const per = textAt(item, 'type') ?? ''
  return Object.entries(toAmounts(textMapAt(item, kind)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bound]) => problem(name, bound, per))
    .filter((text) => text !== undefined)
}

function isLess(a: Quantity, b: Quantity): boolean {
  return a.milli < b.milli
}

/** What a pod asks for as a whole: its containers and sidecars, or the largest moment of its start, or what it states itself. */
function amountsOfPod(pod: IncomingObject, kind: 'requests' | 'limits'): Amounts {
  const running: Record<string, Quantity> = {}
  for (const container of arrayAt(pod, 'spec', 'containers')) add(running, amountsAt(container, kind))
  const sidecars: Record<string, Quantity> = {}
  const peak: Record<string, Quantity> = {}
  for (const container of arrayAt(pod, 'spec', 'initContainers')) {
    const own = amountsAt(container, kind)
    const isSidecar = textAt(container, 'restartPolicy') === 'Always'
    if (isSidecar) for (const sum of [running, sidecars]) add(sum, own)
    const moment = { ...sidecars }
    if (!isSidecar) add(moment, own)
    raise(peak, moment)
  }
  raise(running, peak)
  return { ...running, ...amountsAt(objectAt(pod, 'spec'), kind) }
}

function amountsAt(owner: unknown, kind: 'requests' | 'limits'): Amounts {
  return toAmounts(textMapAt(owner, 'resources', kind))
}

function toAmounts(texts: Readonly<Record<string, string>>): Amounts {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parseQuantity(text)]))
}

function add(sum: Record<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of Object.entries(more)) sum[name] = sum[name]?.add(amount) ?? amount
}

function raise(highest: Record<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of Object.entries(other)) {
    if (highest[name] === undefined || highest[name].compare(amount) < 0) highest[name] = amount
  }
}
