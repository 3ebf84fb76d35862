interface CatalogType {
  readonly name: string
  readonly cpu: string
  readonly memory: string
  readonly price: number
  /** YAML of further fields of the type, indented by four. */
  readonly more?: string
}

/** An InstanceTypeCatalog as a YAML document: its types run amd64 Linux and are offered on demand in zone-a, with room for 20 pods. */
export function catalogManifest(name: string, types: readonly CatalogType[]): string {
  return `---
apiVersion: joinery.dev/v1alpha1
kind: InstanceTypeCatalog
metadata: {name: ${name}}
instanceTypes:
${types.map(typeText).join('')}`
}

function typeText({ name, cpu, memory, price, more = '' }: CatalogType): string {
  return `  - name: ${name}
    capacity: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
    requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: kubernetes.io/os, operator: In, values: [linux]}]
    offerings:
      - price: ${price}
        requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
${more}`
}
