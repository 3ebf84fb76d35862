/** What a machine tells of its operating system. */
export interface ImageSystem {
  readonly osImage: string
  /** Only of Windows. */
  readonly windowsBuild?: string
}

const windowsBuilds: Readonly<Record<string, string>> = {
  '2019': '10.0.17763',
  '2022': '10.0.20348',
  '2025': '10.0.26100',
}

/** By the name under which AWS publishes the image; one of somebody's own passes for Amazon Linux, or for Windows Server 2022. */
export function systemOf(image: { readonly name: string; readonly platform: 'linux' | 'windows' }): ImageSystem {
  if (image.platform === 'windows') {
    const named = /^Windows_Server-(\d{4})-/.exec(image.name)?.[1] ?? ''
    const year = Object.hasOwn(windowsBuilds, named) ? named : '2022'
    return { osImage: `Windows Server ${year} Datacenter`, windowsBuild: windowsBuilds[year] ?? '' }
  }
  const [, kubernetes, release] = /^bottlerocket-aws-k8s-(\d+\.\d+)-.*-v(\d+\.\d+\.\d+)/.exec(image.name) ?? []
  if (kubernetes !== undefined) return { osImage: `Bottlerocket OS ${release ?? ''} (aws-k8s-${kubernetes})` }
  return { osImage: /^amazon-eks-(?:(?:arm64|gpu)-)?node-\d/.test(image.name) ? 'Amazon Linux 2' : 'Amazon Linux 2023' }
}
