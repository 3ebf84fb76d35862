/** Kubernetes' checks of names and labels. Each returns what is wrong, in Kubernetes' words; an empty list means valid. */

const qualifiedNameMaxLength = 63
const subdomainMaxLength = 253
export const labelValueMaxLength = 63

const namePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const namePartMessage =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${namePattern}')`
const subdomainPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
const subdomainMessage =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  `alphanumeric character (e.g. 'example.com', regex used for validation is '${subdomainPattern}')`
const labelValuePattern = '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'
const labelValueMessage =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  `alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '${labelValuePattern}')`

const nameExpression = new RegExp(`^${namePattern}$`)
const subdomainExpression = new RegExp(`^${subdomainPattern}$`)
const labelValueExpression = new RegExp(`^${labelValuePattern}$`)

/** Label and taint keys: a name of at most 63 characters, optionally after a DNS subdomain and a slash. */
export function qualifiedNameErrors(text: string): readonly string[] {
  if (isQualifiedName(text)) return none
  const parts = text.split('/')
  const [first = '', second] = parts
  if (parts.length > 2) {
    return [
      `a qualified name ${namePartMessage} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const errors: string[] = []
  if (second !== undefined) {
    if (first === '') errors.push('prefix part must be non-empty')
    else errors.push(...subdomainErrors(first).map((message) => `prefix part ${message}`))
  }
  const name = second ?? first
  if (name === '') errors.push('name part must be non-empty')
  else if (isLongerThan(name, qualifiedNameMaxLength)) errors.push(`name part ${tooLong(qualifiedNameMaxLength)}`)
  if (!nameExpression.test(name)) errors.push(`name part ${namePartMessage}`)
  return errors
}

/** Most names are fine, and saying so must cost little. */
const none: readonly string[] = []

function isQualifiedName(text: string): boolean {
  const slash = text.indexOf('/')
  const name = slash < 0 ? text : text.slice(slash + 1)
  // A second slash is no character of a name.
  if (!isWithin(name, qualifiedNameMaxLength, nameExpression)) return false
  return slash < 0 || subdomainErrors(text.slice(0, slash)).length === 0
}

export function subdomainErrors(text: string): readonly string[] {
  if (isWithin(text, subdomainMaxLength, subdomainExpression)) return none
  const errors = isLongerThan(text, subdomainMaxLength) ? [tooLong(subdomainMaxLength)] : []
  if (!subdomainExpression.test(text)) errors.push(subdomainMessage)
  return errors
}

export function labelValueErrors(text: string): readonly string[] {
  if (isWithin(text, labelValueMaxLength, labelValueExpression)) return none
  const errors = isLongerThan(text, labelValueMaxLength) ? [tooLong(labelValueMaxLength)] : []
  if (!labelValueExpression.test(text)) errors.push(labelValueMessage)
  return errors
}

/** What the expressions allow is ASCII, of which a unit is a byte. */
function isWithin(text: string, bytesMax: number, expression: RegExp): boolean {
  return text.length <= bytesMax && expression.test(text)
}

function tooLong(max: number): string {
  return `must be no more than ${max} bytes`
}

const encoder = new TextEncoder()

/** Counts bytes of UTF-8. A UTF-16 unit becomes three of them at most, so that short texts need no counting. */
function isLongerThan(text: string, bytesMax: number): boolean {
  if (text.length * 3 <= bytesMax) return false
  return text.length > bytesMax || encoder.encode(text).length > bytesMax
}
