import type { ListRequest } from '../api/read.ts'
import { badRequest } from '../errors.ts'

export function listRequest(
  query: URLSearchParams,
  namespace: string | undefined,
  name: string | undefined,
): ListRequest {
  const selector = query.get('fieldSelector') ?? ''
  // A watch or list of one named object selects it by its name.
  const named =
    name === undefined ? selector : [selector, `metadata.name=${name}`].filter((part) => part !== '').join(',')
  return {
    namespace,
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: named === '' ? undefined : named,
    limit: integerOf(query, 'limit'),
    continue: query.get('continue') ?? undefined,
    resourceVersion: query.get('resourceVersion') ?? undefined,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? undefined,
  }
}

export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const value = Number(text)
  if (!Number.isInteger(value)) throw badRequest(`invalid value ${JSON.stringify(text)} for ${name}`)
  return value
}

export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)
  return text === null ? undefined : text === 'true' || text === '1' || text === ''
}
