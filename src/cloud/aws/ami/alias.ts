import type { Parameter } from '../ssm/ssm-provider.ts'
import type { Alias } from './family.ts'
import { neuronSet, nvidiaSet, type RequirementSet, standardSet, windowsSet } from './requirement-sets.ts'

interface AliasParameter extends Parameter {
  /** One status entry for each. */
  readonly sets: readonly RequirementSet[]
}

export type AliasLookup =
  | { readonly kind: 'parameters'; readonly parameters: readonly AliasParameter[] }
  | { readonly kind: 'unsupported'; readonly reason: string }

const windowsBuilds: Readonly<Record<string, readonly [year: string, build: string]>> = {
  windows2019: ['2019', '10.0.17763'],
  windows2022: ['2022', '10.0.20348'],
  windows2025: ['2025', '10.0.26100'],
}
const al2Dropped = 33
const windows2025Added = 35

/** The SSM parameters that publish an alias's images for one cluster version, such as `1.33`. */
export function aliasParameters(alias: Alias, clusterVersion: string): AliasLookup {
  // Admission takes it. No parameter has such a name, and which of the versions is meant nobody knows.
  if (alias.version.includes('@')) {
    return { kind: 'unsupported', reason: `the alias "${alias.family}@${alias.version}" has more than one @` }
  }
  const minor = Number(clusterVersion.split('.')[1])
  if (alias.family === 'al2' && minor >= al2Dropped) {
    return {
      kind: 'unsupported',
      reason:
        'AL2 aliases are no longer supported on EKS 1.33+ (see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html#kubernetes-1-33)',
    }
  }
  if (alias.family === 'windows2025' && minor < windows2025Added) {
    return {
      kind: 'unsupported',
      reason: `Windows Server 2025 requires EKS version 1.35 or higher, current version: ${clusterVersion}`,
    }
  }
  return { kind: 'parameters', parameters: parametersOf(alias, clusterVersion) }
}

function parametersOf({ family, version }: Alias, k8s: string): readonly AliasParameter[] {
  const latest = version === 'latest'
  const parameter = (name: string, ...sets: readonly RequirementSet[]): AliasParameter => ({
    name,
    kind: 'alias',
    mutable: latest,
    sets,
  })
  const eks = `/aws/service/eks/optimized-ami/${k8s}`
  switch (family) {
    case 'al2': {
      const release = (name: string): string => (latest ? 'recommended' : `${name}-${k8s}-${version}`)
      return [
        parameter(`${eks}/amazon-linux-2/${release('amazon-eks-node')}/image_id`, standardSet),
        parameter(`${eks}/amazon-linux-2-arm64/${release('amazon-eks-arm64-node')}/image_id`, standardSet),
        parameter(`${eks}/amazon-linux-2-gpu/${release('amazon-eks-gpu-node')}/image_id`, neuronSet, nvidiaSet),
      ]
    }
    case 'al2023': {
      const path = (arch: string, variant: string): string => {
        const release = latest ? 'recommended' : `amazon-eks-node-al2023-${arch}-${variant}-${k8s}-${version}`
        return `${eks}/amazon-linux-2023/${arch}/${variant}/${release}/image_id`
      }
      return [
        parameter(path('x86_64', 'standard'), standardSet),
        parameter(path('x86_64', 'nvidia'), nvidiaSet),
        parameter(path('x86_64', 'neuron'), neuronSet),
        parameter(path('arm64', 'standard'), standardSet),
        parameter(path('arm64', 'nvidia'), nvidiaSet),
      ]
    }
    case 'bottlerocket': {
      const release = latest ? version : version.replace(/^v+/, '')
      const base = `/aws/service/bottlerocket/aws-k8s-${k8s}`
      return [
        parameter(`${base}/x86_64/${release}/image_id`, standardSet, neuronSet),
        parameter(`${base}/arm64/${release}/image_id`, standardSet),
        parameter(`${base}-nvidia/x86_64/${release}/image_id`, nvidiaSet),
        parameter(`${base}-nvidia/arm64/${release}/image_id`, nvidiaSet),
      ]
    }
    default: {
      const windows = windowsBuilds[family]
      if (windows === undefined) return []
      const [year, build] = windows
      return [
        {
          ...parameter(
            `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${k8s}/image_id`,
            windowsSet(build),
          ),
          mutable: true,
        },
      ]
    }
  }
}
