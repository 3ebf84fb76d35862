import { describe, expect, test } from 'vitest'
import { parseManagedKubelet } from '../../../../../src/cloud/aws/kubelet/managed-kubelet.ts'
import { type BootstrapInputs, userDataInputs } from '../../../../../src/cloud/aws/launch-template/user-data-inputs.ts'
import { aLaunchClaim, aNodeClass, demoCluster } from '../../../../support/aws-world.ts'

function inputsOf(spec: Parameters<typeof aNodeClass>[0], more: Partial<BootstrapInputs> = {}) {
  const nodeClass = aNodeClass(spec)
  return userDataInputs({
    nodeClass,
    nodeClaim: aLaunchClaim(),
    cluster: demoCluster,
    clusterCIDR: '172.20.0.0/16',
    kubelet: parseManagedKubelet(nodeClass.spec?.kubelet),
    capacityType: 'spot',
    group: { maxPods: 29, kubelet: undefined },
    ...more,
  })
}

describe('kubelet settings', () => {
  const both = (kubelet: object, more: Partial<BootstrapInputs> = {}) => {
    const inputs = inputsOf({ kubelet: { ...kubelet } }, more)
    expect(inputs.rawKubelet).toMatchObject(inputs.kubelet)
    return inputs.rawKubelet
  }

  test('that the class does not make are the pods of the type and the address of kube-dns', () => {
    expect(both({ registryPullQPS: 20 })).toEqual({ registryPullQPS: 20, maxPods: 29, clusterDNS: ['172.20.0.10'] })
    const { dnsIP: _unknown, ...cluster } = demoCluster
    expect(both({}, { cluster: { ...cluster, dnsIP: undefined } })).toEqual({ maxPods: 29 })
  })

  test.each(['AL2', 'AL2023', 'Bottlerocket', 'Windows2022'] as const)(
    'an empty list of addresses is none, for %s, too',
    (amiFamily) => {
      const dnsOf = (more: Partial<BootstrapInputs> = {}) => {
        const inputs = inputsOf({ amiFamily, kubelet: { clusterDNS: [] } }, more)
        return [inputs.kubelet.clusterDNS, inputs.rawKubelet['clusterDNS']]
      }
      expect(dnsOf()).toEqual([['172.20.0.10'], ['172.20.0.10']])
      expect(dnsOf({ cluster: { ...demoCluster, dnsIP: undefined } })).toEqual([undefined, undefined])
    },
  )

  test('that the class makes stay as they are', () => {
    const made = { maxPods: 10, clusterDNS: ['10.0.0.10'], kubeReserved: { cpu: '1' } }
    expect(both(made)).toEqual(made)
  })

  test('that are expressions are what they come to for the type; what comes to nothing is left out', () => {
    const expressions = {
      maxPods: 'vcpus * 4',
      kubeReserved: { cpu: 'vcpus' },
      systemReserved: { memory: '0 - vcpus' },
    }
    const kubelet = { maxPods: 8, kubeReserved: { cpu: '10m' }, systemReserved: {} }
    expect(both(expressions, { group: { maxPods: 8, kubelet } })).toEqual({
      maxPods: 8,
      clusterDNS: ['172.20.0.10'],
      kubeReserved: { cpu: '10m' },
    })
  })
})

test.each([
  ['RAID0', true],
  [undefined, false],
] as const)('instance store policy %s: RAID0 %s', (instanceStorePolicy, raid0) => {
  expect(inputsOf(instanceStorePolicy === undefined ? {} : { instanceStorePolicy }).raid0).toBe(raid0)
})

describe('a Bottlerocket that a rollback has pinned', () => {
  const image = (version: string) => ({
    id: 'ami-1',
    name: `bottlerocket-aws-k8s-1.33-x86_64-${version}-9c7e`,
    requirements: [],
  })
  const mounts = (alias: string, launched: string, pin: object = {}): boolean => {
    const nodeClass = aNodeClass({ amiSelectorTerms: [{ alias: `bottlerocket@${alias}` }] })
    const status = { ...nodeClass.status, amis: [image(launched)], ...pin }
    return inputsOf({}, { nodeClass: { ...nodeClass, status } }).bindsDirectoriesItself
  }
  const pin = { pinnedImages: { images: [{ id: 'ami-1' }], insteadOf: 'x', reason: 'it failed' } }

  test('is told to mount its disks as that release has it, not the one of the alias', () => {
    expect(mounts('v1.46.0', 'v1.45.0')).toBe(true)
    expect(mounts('v1.46.0', 'v1.45.0', pin)).toBe(false)
    expect(mounts('latest', 'v1.45.0', pin)).toBe(false)
    expect(mounts('v1.45.0', 'v1.46.0', pin)).toBe(true)
  })
})
