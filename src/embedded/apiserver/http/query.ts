import { goQuoted } from '../../../api/go-text.ts'
import type { ListRequest } from '../api/read.ts'
import { badRequest, field, type FieldError, invalid } from '../errors.ts'

/** What a list or watch asks for. Refused, in a real server's words, where it contradicts itself. */
export function listRequest(
  query: URLSearchParams,
  namespace: string | undefined,
  name: string | undefined,
  verb: 'list' | 'watch' = 'list',
): ListRequest {
  const selector = query.get('fieldSelector') ?? ''
  // A watch or list of one named object selects it by its name.
  const named =
    name === undefined ? selector : [selector, `metadata.name=${name}`].filter((part) => part !== '').join(',')
  const request = {
    namespace,
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: named === '' ? undefined : named,
    limit: integerOf(query, 'limit'),
    continue: query.get('continue') ?? undefined,
    resourceVersion: query.get('resourceVersion') ?? undefined,
    resourceVersionMatch: query.get('resourceVersionMatch') ?? undefined,
  }
  integerOf(query, 'timeoutSeconds')
  throwIfRefused(
    'ListOptions',
    verb === 'watch' ? watchErrors(request, booleanOf(query, 'sendInitialEvents')) : listErrors(request, query),
  )
  return request
}

/** As a Go server reads it: text that is no whole number is told in the words of `strconv`. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const because = (what: string) => badRequest(`strconv.ParseInt: parsing ${goQuoted(text)}: ${what}`)
  if (!/^[-+]?\d+$/.test(text)) throw because('invalid syntax')
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) throw because('value out of range')
  return Number(text)
}

/** Everything but `false` and `0` says yes. */
export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)
  return text === null ? undefined : !['false', '0'].includes(text.toLowerCase())
}

/** Options that come with a request are an object of the API with nothing but these mistakes. */
export function throwIfRefused(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', plural: kind.toLowerCase(), kind }, '', errors)
}

type Versions = Pick<ListRequest, 'resourceVersion' | 'resourceVersionMatch' | 'continue'>

/** As apimachinery's `ValidateListOptions`. */
function listErrors(
  { resourceVersion = '', resourceVersionMatch: match, continue: token = '' }: Versions,
  query: URLSearchParams,
): readonly FieldError[] {
  const errors: FieldError[] = []
  const refuse = (detail: string) => errors.push(field.forbidden('resourceVersionMatch', detail))
  if (match !== undefined && match !== '') {
    if (resourceVersion === '') refuse('resourceVersionMatch is forbidden unless resourceVersion is provided')
    if (token !== '') refuse('resourceVersionMatch is forbidden when continue is provided')
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(field.notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']))
    }
    if (match === 'Exact' && resourceVersion === '0') {
      refuse('resourceVersionMatch "exact" is forbidden for resourceVersion "0"')
    }
  }
  if (query.has('sendInitialEvents')) {
    errors.push(field.forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  }
  return errors
}

/** As apimachinery's `validateWatchOptions`. */
function watchErrors(
  { resourceVersionMatch: match = '', continue: token = '' }: Versions,
  sendInitialEvents: boolean | undefined,
): readonly FieldError[] {
  const errors: FieldError[] = []
  const refuse = (detail: string) => errors.push(field.forbidden('resourceVersionMatch', detail))
  if (sendInitialEvents !== undefined && match === '') {
    refuse('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')
  }
  if (match !== '') {
    if (sendInitialEvents === undefined) {
      refuse('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')
    }
    if (match !== 'NotOlderThan') errors.push(field.notSupported('resourceVersionMatch', match, ['NotOlderThan']))
  }
  if (token !== '') refuse('resourceVersionMatch is forbidden when continue is provided')
  return errors
}
