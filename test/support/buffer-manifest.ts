/** A CapacityBuffer and the template of its pods, as YAML documents. */
export function bufferManifest(namespace: string, cpu: string, replicas: number): string {
  return `---
apiVersion: v1
kind: PodTemplate
metadata: {name: spare, namespace: ${namespace}}
template: {spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "${cpu}"}}}]}}
---
apiVersion: autoscaling.x-k8s.io/v1beta1
kind: CapacityBuffer
metadata: {name: spare, namespace: ${namespace}, uid: b}
spec: {podTemplateRef: {name: spare}, replicas: ${replicas}}
`
}
