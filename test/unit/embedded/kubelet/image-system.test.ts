import { expect, test } from 'vitest'
import { systemOf } from '../../../../src/embedded/kubelet/image-system.ts'

test.each([
  ['amazon-eks-node-al2023-x86_64-standard-1.33-v20260101', 'linux', 'Amazon Linux 2023', undefined],
  ['amazon-eks-node-1.32-v20260101', 'linux', 'Amazon Linux 2', undefined],
  ['amazon-eks-gpu-node-1.32-v20260101', 'linux', 'Amazon Linux 2', undefined],
  [
    'bottlerocket-aws-k8s-1.33-nvidia-arm64-v1.49.0-0123abcd',
    'linux',
    'Bottlerocket OS 1.49.0 (aws-k8s-1.33)',
    undefined,
  ],
  ['Windows_Server-2019-English-Core-EKS_Optimized-1.33-v1', 'windows', 'Windows Server 2019 Datacenter', '10.0.17763'],
  ['Windows_Server-2025-English-Core-EKS_Optimized-1.35-v1', 'windows', 'Windows Server 2025 Datacenter', '10.0.26100'],
  ['mine', 'linux', 'Amazon Linux 2023', undefined],
  ['mine', 'windows', 'Windows Server 2022 Datacenter', '10.0.20348'],
] as const)('a machine that booted %s (%s) says that it runs %s', (name, platform, osImage, windowsBuild) => {
  expect(systemOf({ name, platform })).toEqual({ osImage, ...(windowsBuild === undefined ? {} : { windowsBuild }) })
})
