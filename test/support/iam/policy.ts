/** One action on one resource, with what IAM's condition keys are for it. */
export interface IAMRequest {
  readonly action: string
  readonly resource: string
  readonly keys: Readonly<Record<string, string | readonly string[]>>
}

export interface Statement {
  readonly Sid: string
  readonly Effect: 'Allow' | 'Deny'
  readonly Action: readonly string[]
  readonly Resource: readonly string[]
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
}

/** Fills in the `${NAMES}` of a shipped policy. */
export function statementsOf(text: string, values: Readonly<Record<string, string>>): readonly Statement[] {
  const filled = text.replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) => values[name] ?? whole)
  return (JSON.parse(filled) as { Statement: Statement[] }).Statement
}

/** As IAM decides: some statement allows it, and none denies. Knows the operators that the shipped policies use. */
export function isAllowed(statements: readonly Statement[], request: IAMRequest): boolean {
  const applying = statements.filter((statement) => applies(statement, request))
  return applying.some(({ Effect }) => Effect === 'Allow') && applying.every(({ Effect }) => Effect === 'Allow')
}

function applies({ Action, Resource, Condition = {} }: Statement, { action, resource, keys }: IAMRequest): boolean {
  return (
    Action.some((pattern) => isLike(action, pattern)) &&
    Resource.some((pattern) => isLike(resource, pattern)) &&
    Object.entries(Condition).every(([operator, wanted]) =>
      Object.entries(wanted).every(([key, values]) => holds(operator, keys[key], [values].flat())),
    )
  )
}

function holds(operator: string, present: string | readonly string[] | undefined, wanted: readonly string[]): boolean {
  const values = present === undefined ? [] : [present].flat()
  switch (operator) {
    case 'StringEquals':
      return values.some((value) => wanted.includes(value))
    case 'StringLike':
      return values.some((value) => wanted.some((pattern) => isLike(value, pattern)))
    case 'ForAllValues:StringEquals':
      return values.every((value) => wanted.includes(value))
    default:
      throw new Error(`condition operator ${operator} is not known here`)
  }
}

function isLike(value: string, pattern: string): boolean {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${escaped.join('.*')}$`).test(value)
}
