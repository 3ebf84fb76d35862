/** A small NodePool as a document of YAML; `more` are further lines of it. */
export function poolText(
  name: string,
  { nodeClass = 'default', more = '' }: { readonly nodeClass?: string; readonly more?: string } = {},
): string {
  return `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: ${nodeClass}}
      requirements: []
${more}`
}
