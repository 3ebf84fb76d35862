import { BoundedMemo } from '../../api/bounded-memo.ts'
import { firstLineOf } from '../../api/error-text.ts'
import type { DeviceAttribute } from '../../api/kubernetes.ts'
import { celQuantity, celVersion, kubernetesCelEnvironment } from '../../api/validation/cel-library.ts'
import type { TemplateDevice } from '../../model/instance-type.ts'

/** What a CEL selector says of a device; an error is a mistake in the expression, or a device without the attribute it reads. */
export type SelectorVerdict =
  | { readonly kind: 'matches' | 'differs' }
  | { readonly kind: 'error'; readonly text: string }

type Program = (variables: Record<string, unknown>) => unknown

const environment = kubernetesCelEnvironment()
/** Claims and classes repeat a handful of expressions. */
const programs = new BoundedMemo<string, Program>(1_000)

/** Evaluates `spec.selectors[].cel.expression` of claims and classes, each pair of expression and device once. */
export class DeviceSelectors {
  readonly #verdicts = new Map<string, WeakMap<TemplateDevice, SelectorVerdict>>()
  readonly #variables = new WeakMap<TemplateDevice, Record<string, unknown>>()

  judge(expression: string, driver: string, device: TemplateDevice): SelectorVerdict {
    const known = this.#verdicts.get(expression) ?? new WeakMap<TemplateDevice, SelectorVerdict>()
    this.#verdicts.set(expression, known)
    let verdict = known.get(device)
    if (verdict === undefined) {
      verdict = evaluate(expression, this.#variablesOf(driver, device))
      known.set(device, verdict)
    }
    return verdict
  }

  #variablesOf(driver: string, device: TemplateDevice): Record<string, unknown> {
    let variables = this.#variables.get(device)
    if (variables === undefined) {
      const attributes = byDomain(driver, device.attributes ?? {}, attributeValue)
      const capacity = byDomain(driver, device.capacity ?? {}, ({ value }) => celQuantity(String(value)))
      variables = {
        device: {
          driver,
          attributes,
          attributesDomains: [...attributes.keys()],
          capacity,
          capacityDomains: [...capacity.keys()],
          allowMultipleAllocations: device.allowMultipleAllocations === true,
        },
      }
      this.#variables.set(device, variables)
    }
    return variables
  }
}

function evaluate(expression: string, variables: Record<string, unknown>): SelectorVerdict {
  try {
    const result = programs.of(expression, programOf)(variables)
    if (typeof result !== 'boolean') return { kind: 'error', text: `${expression}: the result is no boolean` }
    return { kind: result ? 'matches' : 'differs' }
  } catch (error) {
    return { kind: 'error', text: `${expression}: ${firstLineOf(error)}` }
  }
}

/** The library's `has` takes plain fields only, while attributes are found under a domain in brackets: as CEL defines it, this is `in`. */
const testedField = /\bhas\(\s*(device\.(?:attributes|capacity)\[[^\]]+\])\.([A-Za-z_]\w*)\s*\)/g

/** Nor does it ask a map but by what it has for the key, which for a domain is never nothing. */
const testedDomain = /\bin\s+device\.(attributes|capacity)\b(?!\s*[[.])/g

function programOf(expression: string): Program {
  const rewritten = expression.replaceAll(testedField, '("$2" in $1)').replaceAll(testedDomain, 'in device.$1Domains')
  return environment.parse(rewritten)
}

/** Names without a domain belong to the driver's. A domain that the device says nothing about is empty, not missing. */
function byDomain<T>(
  driver: string,
  values: Readonly<Record<string, T>>,
  toCel: (value: T) => unknown,
): ReadonlyMap<string, ReadonlyMap<string, unknown>> {
  const domains = new Map<string, Map<string, unknown>>()
  for (const [name, value] of Object.entries(values)) {
    const slash = name.indexOf('/')
    const domain = slash < 0 ? driver : name.slice(0, slash)
    const inner = domains.get(domain) ?? new Map<string, unknown>()
    inner.set(name.slice(slash + 1), toCel(value))
    domains.set(domain, inner)
  }
  const find = domains.get.bind(domains)
  domains.get = (domain) => find(domain) ?? new Map()
  return domains
}

function attributeValue({ bool, int, string, version }: DeviceAttribute): unknown {
  if (int !== undefined) return BigInt(int)
  return version === undefined ? (bool ?? string) : celVersion(version)
}
