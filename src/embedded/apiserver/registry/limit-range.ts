import { parseQuantity, Quantity } from '../../../model/quantity.ts'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, objectAt, textAt, textMapAt, withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { resourceNameProblems } from './pod-validation/resources.ts'

/** A limit stands for what is not given: the maximum for the default limit, that and the minimum for the default request. */
export function defaultLimitRange(range: IncomingObject): IncomingObject {
  const limits = arrayAt(range, 'spec', 'limits')
  if (!limits.some((item) => textAt(item, 'type') === 'Container')) return range
  const next = limits.map((item) => {
    if (!isObject(item) || textAt(item, 'type') !== 'Container') return item
    const limit = { ...textMapAt(item, 'max'), ...textMapAt(item, 'default') }
    const request = { ...textMapAt(item, 'min'), ...limit, ...textMapAt(item, 'defaultRequest') }
    return { ...item, ...unlessEmpty('default', limit), ...unlessEmpty('defaultRequest', request) }
  })
  return withAt(range, ['spec', 'limits'], next)
}

function unlessEmpty(name: string, amounts: Readonly<Record<string, string>>): JsonObject {
  return Object.keys(amounts).length === 0 ? {} : { [name]: amounts }
}

export function limitRangeErrors(range: IncomingObject): readonly FieldError[] {
  const seen = new Set<string>()
  return arrayAt(range, 'spec', 'limits').flatMap((item, index) => {
    const path = `spec.limits[${index}]`
    const type = textAt(item, 'type') ?? ''
    const twice = seen.has(type) ? [field.duplicate(`${path}.type`, type)] : []
    seen.add(type)
    return [...twice, ...itemErrors(item, type, path)]
  })
}

function itemErrors(item: unknown, type: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const mayDefault = type !== 'Pod'
  const kinds = ['max', 'min', ...(mayDefault ? ['default', 'defaultRequest'] : []), 'maxLimitRequestRatio']
  if (!mayDefault) {
    for (const kind of ['default', 'defaultRequest']) {
      if (Object.keys(objectAt(item, kind) ?? {}).length > 0)
        errors.push(field.forbidden(`${path}.${kind}`, "may not be specified when `type` is 'Pod'"))
    }
  }
  const names = new Set<string>()
  for (const kind of kinds) {
    for (const name of Object.keys(textMapAt(item, kind))) {
      names.add(name)
      if (type !== 'Pod' && type !== 'Container') continue
      for (const problem of resourceNameProblems(name))
        errors.push(field.invalid(`${path}.${kind}[${name}]`, name, problem))
    }
  }
  if (type === 'PersistentVolumeClaim' && !['min', 'max'].some((kind) => textAt(item, kind, 'storage') !== undefined)) {
    const detail = 'either minimum or maximum storage value is required, but neither was provided'
    errors.push(field.required(`${path}.limits`, detail))
  }
  for (const name of [...names].sort()) errors.push(...amountErrors(item, { name, path, mayDefault }))
  return errors
}

function amountErrors(
  item: unknown,
  { name, path, mayDefault }: { readonly name: string; readonly path: string; readonly mayDefault: boolean },
): readonly FieldError[] {
  const amount = (kind: string) => {
    const text = textAt(item, kind, name)
    return text === undefined ? undefined : parseQuantity(text)
  }
  const [min, max, ratio] = [amount('min'), amount('max'), amount('maxLimitRequestRatio')]
  const limit = mayDefault ? amount('default') : undefined
  const request = mayDefault ? amount('defaultRequest') : undefined
  const errors: FieldError[] = []
  const say = (kind: string, value: Quantity, detail: string) =>
    errors.push(field.invalid(`${path}.${kind}[${name}]`, value.toString(), detail))
  const isMore = (a: Quantity | undefined, b: Quantity | undefined): boolean =>
    a !== undefined && b !== undefined && a.compare(b) > 0
  if (min !== undefined && isMore(min, max))
    say('min', min, `min value ${text(min)} is greater than max value ${text(max)}`)
  if (request !== undefined) {
    if (isMore(min, request)) {
      say('defaultRequest', request, `min value ${text(min)} is greater than default request value ${text(request)}`)
    }
    if (isMore(request, max)) {
      say('defaultRequest', request, `default request value ${text(request)} is greater than max value ${text(max)}`)
    }
    if (isMore(request, limit)) {
      const detail = `default request value ${text(request)} is greater than default limit value ${text(limit)}`
      say('defaultRequest', request, detail)
    }
  }
  if (min !== undefined && isMore(min, limit)) {
    say('default', min, `min value ${text(min)} is greater than default value ${text(limit)}`)
  }
  if (max !== undefined && isMore(limit, max)) {
    say('default', max, `default value ${text(limit)} is greater than max value ${text(max)}`)
  }
  if (ratio !== undefined && isMore(Quantity.of(1), ratio)) {
    say('maxLimitRequestRatio', ratio, `ratio ${text(ratio)} is less than 1`)
  }
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = max.toNumber() / min.toNumber()
    if (ratio.toNumber() > most) {
      say('maxLimitRequestRatio', ratio, `ratio ${text(ratio)} is greater than max/min = ${most.toFixed(6)}`)
    }
  }
  return errors
}

function text(amount: Quantity | undefined): string {
  return String(amount)
}
