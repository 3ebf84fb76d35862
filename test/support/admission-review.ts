/** A review of a NodePool about to be created, as an API server sends it. */
export function nodePoolReview(object: { readonly metadata: { readonly name: string } }, uid = 'u'): string {
  return JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid,
      kind: { group: 'karpenter.sh', version: 'v1', kind: 'NodePool' },
      operation: 'CREATE',
      name: object.metadata.name,
      object,
    },
  })
}
