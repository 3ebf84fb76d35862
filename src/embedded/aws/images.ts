import type { Account } from './account.ts'
import type { ImageRecord } from './state.ts'

export type ImageFamily = 'al2' | 'al2023' | 'bottlerocket' | 'windows2019' | 'windows2022' | 'windows2025'

export interface PublishOptions {
  /** Kubernetes minor version the image is made for. */
  readonly kubernetesVersion: string
  /** As in the image's name: `v20260115`, for Bottlerocket `1.49.0`. */
  readonly version: string
  /** Creation date; now when absent. */
  readonly createdAt?: number
}

interface Variant {
  readonly name: string
  readonly architecture: ImageRecord['architecture']
  readonly platform: ImageRecord['platform']
  /** SSM parameters that name the image, the moving one and the fixed one. */
  readonly parameters: readonly string[]
}

/** AWS' own accounts that publish these images. */
const publishers: Record<ImageFamily, string> = {
  al2: '602401143452',
  al2023: '602401143452',
  bottlerocket: '092701018921',
  windows2019: '801119661308',
  windows2022: '801119661308',
  windows2025: '801119661308',
}

/** EKS images are deprecated two years after they appear. */
const lifeMs = 2 * 365 * 86_400_000

/** Publishes a new image of every variant of a family, and lets the SSM parameters point to it. */
export function publishImages(account: Account, family: ImageFamily, options: PublishOptions): readonly ImageRecord[] {
  const createdAt = options.createdAt ?? account.clock.now()
  return variantsOf(family, options).map((variant) => {
    const image: ImageRecord = {
      id: account.newID('ami'),
      name: variant.name,
      architecture: variant.architecture,
      platform: variant.platform,
      ownerID: publishers[family],
      ownerAlias: 'amazon',
      createdAt,
      deprecatedAt: createdAt + lifeMs,
      state: 'available',
      public: true,
      tags: {},
    }
    account.state.images.push(image)
    for (const parameter of variant.parameters) account.state.parameters[parameter] = image.id
    return image
  })
}

function variantsOf(family: ImageFamily, { kubernetesVersion: k8s, version }: PublishOptions): readonly Variant[] {
  switch (family) {
    case 'al2':
      return al2Variants(k8s, version)
    case 'al2023':
      return al2023Variants(k8s, version)
    case 'bottlerocket':
      return bottlerocketVariants(k8s, version.replace(/^v+/, ''))
    case 'windows2019':
    case 'windows2022':
    case 'windows2025':
      return windowsVariants(family.slice('windows'.length), k8s, version)
  }
}

function al2Variants(k8s: string, version: string): readonly Variant[] {
  const base = `/aws/service/eks/optimized-ami/${k8s}`
  const variant = (folder: string, prefix: string, architecture: Variant['architecture']): Variant => {
    const name = `${prefix}-${k8s}-${version}`
    const parameters = ['recommended', name].map((last) => `${base}/${folder}/${last}/image_id`)
    return { name, architecture, platform: 'linux', parameters }
  }
  return [
    variant('amazon-linux-2', 'amazon-eks-node', 'x86_64'),
    variant('amazon-linux-2-arm64', 'amazon-eks-arm64-node', 'arm64'),
    variant('amazon-linux-2-gpu', 'amazon-eks-gpu-node', 'x86_64'),
  ]
}

function al2023Variants(k8s: string, version: string): readonly Variant[] {
  const base = `/aws/service/eks/optimized-ami/${k8s}/amazon-linux-2023`
  const kinds = [
    ['x86_64', 'standard'],
    ['x86_64', 'nvidia'],
    ['x86_64', 'neuron'],
    ['arm64', 'standard'],
    ['arm64', 'nvidia'],
  ] as const
  return kinds.map(([architecture, kind]) => {
    const name = `amazon-eks-node-al2023-${architecture}-${kind}-${k8s}-${version}`
    const parameters = ['recommended', name].map((last) => `${base}/${architecture}/${kind}/${last}/image_id`)
    return { name, architecture, platform: 'linux', parameters }
  })
}

function bottlerocketVariants(k8s: string, version: string): readonly Variant[] {
  const kinds = [
    ['x86_64', ''],
    ['arm64', ''],
    ['x86_64', '-nvidia'],
    ['arm64', '-nvidia'],
  ] as const
  return kinds.map(([architecture, suffix]) => ({
    name: `bottlerocket-aws-k8s-${k8s}${suffix}-${architecture}-v${version}-0123abcd`,
    architecture,
    platform: 'linux',
    parameters: ['latest', version].map(
      (last) => `/aws/service/bottlerocket/aws-k8s-${k8s}${suffix}/${architecture}/${last}/image_id`,
    ),
  }))
}

function windowsVariants(year: string, k8s: string, version: string): readonly Variant[] {
  const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${k8s}`
  return [
    {
      name: `${name}-${version}`,
      architecture: 'x86_64',
      platform: 'windows',
      parameters: [`/aws/service/ami-windows-latest/${name}/image_id`],
    },
  ]
}
