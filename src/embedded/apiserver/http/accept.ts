import { KubeError } from '../../../kube/errors.ts'

/** What a client can read of what we can send, in its order of preference. */
export type Representation = Readonly<
  | { kind: 'json'; syntax: Syntax }
  | { kind: 'table'; syntax: Syntax }
  | { kind: 'metadata'; syntax: Syntax }
  | { kind: 'discovery'; syntax: Syntax; version: 'v2' | 'v2beta1' }
>

export type Syntax = 'json' | 'yaml'

/** The media types that are understood, and how what is sent is written for each. */
const syntaxes: Readonly<Record<string, Syntax>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
}

/** The first media type of an Accept header that can be served; plain JSON when none is asked for. Throws when none of them can. */
export function negotiate(accept: string | undefined, served: readonly Syntax[] = ['json', 'yaml']): Representation {
  if (accept === undefined || accept.trim() === '') return { kind: 'json', syntax: 'json' }
  let understood = false
  for (const part of accept.split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    const syntax = syntaxes[type]
    if (syntax === undefined || !served.includes(syntax)) continue
    understood = true
    const representation = inSyntax(syntax, parameters)
    if (representation !== undefined) return representation
  }
  const types = served.map((syntax) => `application/${syntax}`).join(', ')
  if (understood) throw new KubeError('NotAcceptable', 406, `only the following media types are accepted: ${types}`)
  throw new KubeError('NotAcceptable', 406, `406: Not Acceptable\n\nAvailable representations: ${types}`, {
    details: {},
  })
}

/** Undefined where it is asked for as something that we do not know. */
function inSyntax(syntax: Syntax, parameters: readonly string[]): Representation | undefined {
  const as = valueOf(parameters, 'as')
  const version = valueOf(parameters, 'v')
  const group = valueOf(parameters, 'g')
  if (as === undefined) return { kind: 'json', syntax }
  if (as === 'APIGroupDiscoveryList') {
    return version === 'v2' || version === 'v2beta1' ? { kind: 'discovery', syntax, version } : undefined
  }
  if (version !== 'v1' || (group !== undefined && group !== 'meta.k8s.io')) return undefined
  if (as === 'Table') return { kind: 'table', syntax }
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? { kind: 'metadata', syntax } : undefined
}

function valueOf(parameters: readonly string[], name: string): string | undefined {
  const found = parameters.find((parameter) => parameter.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}
