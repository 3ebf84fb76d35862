/** What a client can read of what we can send, in its order of preference. */
export type Representation =
  | { readonly kind: 'json' }
  | { readonly kind: 'table' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'discovery'; readonly version: 'v2' | 'v2beta1' }

/** The first media type of an Accept header that can be served; plain JSON when none is asked for. */
export function negotiate(accept: string | undefined): Representation {
  for (const part of (accept ?? '').split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue
    const as = valueOf(parameters, 'as')
    const version = valueOf(parameters, 'v')
    if (as === undefined) return { kind: 'json' }
    if (as === 'Table' && version === 'v1') return { kind: 'table' }
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList') return { kind: 'metadata' }
    if (as === 'APIGroupDiscoveryList' && (version === 'v2' || version === 'v2beta1'))
      return { kind: 'discovery', version }
  }
  return { kind: 'json' }
}

function valueOf(parameters: readonly string[], name: string): string | undefined {
  const found = parameters.find((parameter) => parameter.startsWith(`${name}=`))
  return found?.slice(name.length + 1)
}
