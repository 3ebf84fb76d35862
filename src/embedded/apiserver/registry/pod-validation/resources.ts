import { type ExactQuantity, parseExactQuantity } from '../../../../api/exact-quantity.ts'
import { qualifiedNameErrors } from '../../../../api/qualified-name.ts'
import { type FieldError, field } from '../../errors.ts'
import { textMapAt } from '../../json.ts'

const hugePages = 'hugepages-'
const standard = ['cpu', 'memory', 'ephemeral-storage']

/** Requests may not exceed limits, and what cannot be overcommitted needs both, equal. */
export function resourceErrors(container: unknown, path: string): FieldError[] {
  const requests = textMapAt(container, 'resources', 'requests')
  const limits = textMapAt(container, 'resources', 'limits')
  const errors = [...amountErrors(limits, `${path}.limits`), ...amountErrors(requests, `${path}.requests`)]
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name]
    if (limit === undefined) {
      if (!canOvercommit(name)) {
        errors.push(field.required(`${path}.limits`, 'Limit must be set for non overcommitable resources'))
      }
    } else if (!canOvercommit(name) && request !== limit) {
      errors.push(field.invalid(`${path}.requests`, request, `must be equal to ${name} limit of ${limit}`))
    } else if (isGreater(request, limit)) {
      errors.push(field.invalid(`${path}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`))
    }
  }
  const named = [...Object.keys(limits), ...Object.keys(requests)]
  if (named.some((name) => name.startsWith(hugePages)) && !named.some((name) => name === 'cpu' || name === 'memory')) {
    errors.push(field.forbidden(path, 'HugePages require cpu or memory'))
  }
  return errors
}

function amountErrors(amounts: Readonly<Record<string, string>>, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const at = `${path}[${name}]`
    const errors = resourceNameProblems(name).map((problem) => field.invalid(at, name, problem))
    const quantity = parseExactQuantity(amount)
    if (quantity === undefined) return errors
    if (quantity.numerator < 0n) errors.push(field.invalid(at, amount, 'must be greater than or equal to 0'))
    if (isDevice(name) && !isWhole(quantity)) errors.push(field.invalid(at, amount, 'must be an integer'))
    return errors
  })
}

export function resourceNameProblems(name: string): readonly string[] {
  if (name.includes('/')) return qualifiedNameErrors(name)
  if (standard.includes(name) || name.startsWith(hugePages)) return []
  return ['must be a standard resource type or fully qualified', 'must be a standard resource for containers']
}

/** Resources that somebody else than Kubernetes defines. */
function isDevice(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/')
}

/** The cluster's own resources are shared; devices and huge pages are not. */
function canOvercommit(name: string): boolean {
  return !name.startsWith(hugePages) && !isDevice(name)
}

function isWhole({ numerator, denominator }: ExactQuantity): boolean {
  return numerator % denominator === 0n
}

function isGreater(a: string, b: string): boolean {
  const left = parseExactQuantity(a)
  const right = parseExactQuantity(b)
  if (left === undefined || right === undefined) return false
  return left.numerator * right.denominator > right.numerator * left.denominator
}
