/** The metadata of an object alone, for those that ask for no more. */
export function partialOf({ metadata }: { readonly metadata: object }): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }
}
