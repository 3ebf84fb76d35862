/** An EC2NodeClass as somebody writes it, in which nothing is wrong. */
export const classManifest = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  role: r
  amiSelectorTerms: [{ alias: al2023@latest }]
  subnetSelectorTerms: [{ tags: { a: b } }]
  securityGroupSelectorTerms: [{ tags: { a: b } }]
`
