import { expect, test } from 'vitest'
import { userDataKey } from '../../../../../src/cloud/aws/launch-template/user-data-key.ts'
import type { UserDataInputs } from '../../../../../src/cloud/aws/userdata/inputs.ts'
import { renderUserData } from '../../../../../src/cloud/aws/userdata/user-data.ts'

const a = { key: 'a', value: 'x', effect: 'NoSchedule' } as const
const b = { key: 'b', effect: 'NoExecute' } as const

function inputsOf(more: Partial<UserDataInputs> = {}): UserDataInputs {
  return {
    family: 'AL2023',
    clusterName: 'demo',
    clusterEndpoint: 'https://api.demo.example',
    caBundle: 'Y2E=',
    clusterCIDR: '172.20.0.0/16',
    kubelet: { maxPods: 29 },
    rawKubelet: { maxPods: 29 },
    taints: [a, b],
    labels: { first: '1', second: '2' },
    customUserData: undefined,
    raid0: false,
    bindsDirectoriesItself: false,
    ...more,
  }
}

test('a version that renders the same inputs otherwise has keys of its own', () => {
  const mended = (inputs: UserDataInputs) => renderUserData(inputs).replace('kubelet', 'kubelet ')
  expect(userDataKey(inputsOf(), mended)).not.toBe(userDataKey(inputsOf(), renderUserData))
})

test.each(['AL2', 'AL2023', 'Bottlerocket', 'Windows2022', 'Custom'] as const)(
  'for %s the order of taints and labels makes no difference',
  (family) => {
    const turned = inputsOf({ family, taints: [b, a], labels: { second: '2', first: '1' } })
    expect(userDataKey(turned, renderUserData)).toBe(userDataKey(inputsOf({ family }), renderUserData))
  },
)

test('inputs that come to the same text still have keys of their own', () => {
  const same = () => 'text'
  expect(userDataKey(inputsOf({ taints: [a] }), same)).not.toBe(userDataKey(inputsOf(), same))
})
