/** What a URL path means. */
export type Route =
  | ResourceRoute
  | { readonly kind: 'coreVersions' }
  | { readonly kind: 'groups' }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'resources'; readonly group: string; readonly version: string }
  | { readonly kind: 'swagger' }
  | { readonly kind: 'openapi' }
  | { readonly kind: 'openapiVersion'; readonly group: string; readonly version: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'health' }
  | { readonly kind: 'unknown' }

export interface ResourceRoute {
  readonly kind: 'resource'
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

export function parseRoute(path: string): Route {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent)
  const [head = '', ...rest] = parts
  switch (head) {
    case 'version':
      return { kind: 'version' }
    case 'healthz':
    case 'livez':
    case 'readyz':
      return { kind: 'health' }
    case 'api': {
      const [version, ...more] = rest
      if (version === undefined) return { kind: 'coreVersions' }
      return more.length === 0 ? { kind: 'resources', group: '', version } : resourceRoute('', version, more)
    }
    case 'apis': {
      const [group, version, ...more] = rest
      if (group === undefined) return { kind: 'groups' }
      if (version === undefined) return { kind: 'group', group }
      return more.length === 0 ? { kind: 'resources', group, version } : resourceRoute(group, version, more)
    }
    case 'openapi':
      return openapiRoute(rest)
    default:
      return { kind: 'unknown' }
  }
}

function openapiRoute(rest: readonly string[]): Route {
  const [format, root, ...more] = rest
  if (format === 'v2' && root === undefined) return { kind: 'swagger' }
  if (format !== 'v3') return { kind: 'unknown' }
  if (root === undefined) return { kind: 'openapi' }
  const [first = '', second = ''] = more
  if (root === 'api') return { kind: 'openapiVersion', group: '', version: first }
  return root === 'apis' ? { kind: 'openapiVersion', group: first, version: second } : { kind: 'unknown' }
}

function resourceRoute(group: string, version: string, parts: readonly string[]): Route {
  const base = { kind: 'resource', group, version } as const
  const [first, second, third, ...more] = parts
  // `namespaces/x/y` is in a namespace, `namespaces/x/status` is the namespace itself.
  if (
    first === 'namespaces' &&
    second !== undefined &&
    third !== undefined &&
    !['status', 'finalize'].includes(third)
  ) {
    const [name, subresource] = more
    return { ...base, plural: third, namespace: second, name, subresource }
  }
  return { ...base, plural: first ?? '', namespace: undefined, name: second, subresource: third }
}
