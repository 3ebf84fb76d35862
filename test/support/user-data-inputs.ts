import type { UserDataInputs } from '../../src/cloud/aws/userdata/inputs.ts'

/** The demo data that the golden files were made for. */
export function demoInputs(more: Partial<UserDataInputs> = {}): UserDataInputs {
  const kubelet = {
    clusterDNS: ['172.20.0.10'],
    maxPods: 29,
    kubeReserved: { cpu: '90m', memory: '600Mi' },
    evictionSoft: { 'memory.available': '5%' },
    evictionSoftGracePeriod: { 'memory.available': '1m30s' },
  }
  return {
    family: 'AL2023',
    clusterName: 'demo',
    clusterEndpoint: 'https://api.demo.example',
    caBundle: 'REVNTy1DQQ==',
    clusterCIDR: '172.20.0.0/16',
    kubelet,
    rawKubelet: kubelet,
    taints: [
      { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
      { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
    ],
    labels: {
      team: 'core',
      'karpenter.sh/nodepool': 'web',
      'karpenter.k8s.aws/ec2nodeclass': 'general',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/do-not-sync-taints': 'true',
    },
    customUserData: undefined,
    raid0: false,
    bindsDirectoriesItself: false,
    ...more,
  }
}
