import { expect, test } from 'vitest'
import { groupTypes } from '../../../../../src/cloud/aws/launch-template/groups.ts'
import type { InstanceType } from '../../../../../src/model/instance-type.ts'
import { Quantity } from '../../../../../src/model/quantity.ts'
import { oneValue } from '../../../../../src/model/requirement.ts'
import { requirementsOf } from '../../../../../src/model/requirements.ts'
import { aLaunchClaim, aNodeClass, capacityIn } from '../../../../support/aws-world.ts'
import { aType } from '../../../../support/disruption-builders.ts'
import { aLaunchWorld, launch } from '../../../../support/launch-world.ts'

test('types of which one reserves for the kubelet what the other reserves for the system share no template', async () => {
  const world = await aLaunchWorld({ types: ['m5.large', 'm5.xlarge'], gates: { nodeClassCEL: true } })
  const kubelet = {
    maxPods: 20,
    kubeReserved: { cpu: 'vcpus == 2 ? 100 : 200' },
    systemReserved: { cpu: 'vcpus == 2 ? 200 : 100' },
  }
  await launch(world, aLaunchClaim([capacityIn('on-demand')]), aNodeClass({ kubelet }))
  const reserved = world.callsOf('ec2:CreateLaunchTemplate').map(({ LaunchTemplateData }) => {
    const userData = Buffer.from(LaunchTemplateData?.UserData ?? '', 'base64').toString('utf8')
    return [...userData.matchAll(/(kube|system)Reserved:\n +cpu: (\w+)/g)].map(([, of, cpu]) => `${of} ${cpu}`)
  })
  expect(reserved).toEqual([
    ['kube 100m', 'system 200m'],
    ['kube 200m', 'system 100m'],
  ])
})

interface Kind {
  architecture?: string
  pods?: number
  efa?: number
  cards?: number
}

/** The groups of one type and another, each by its types. */
function groupsOf(one: Kind, other: Kind, requestsEFA: boolean) {
  const kinds = new Map([
    ['one', one],
    ['other', other],
  ])
  const types = [...kinds].map(([name, { architecture = 'amd64', pods = 29, efa = 0 }]): InstanceType => {
    const capacity = { pods, 'vpc.amazonaws.com/efa': efa }
    return {
      ...aType(name),
      requirements: requirementsOf(oneValue('kubernetes.io/arch', architecture)),
      capacity: new Map(Object.entries(capacity).map(([resource, amount]) => [resource, Quantity.of(amount)])),
    }
  })
  return groupTypes({
    types,
    amis: ['amd64', 'arm64'].map((architecture) => ({
      id: `ami-${architecture}`,
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: [architecture] }],
    })),
    capacityType: 'on-demand',
    requirements: requirementsOf(),
    requestsEFA,
    networkCards: ({ name }) => kinds.get(name)?.cards ?? 1,
    resolvedKubelet: () => undefined,
  })
}

const groupings: Record<string, { one?: Kind; other: Kind; asksForEFA?: boolean; want: string[] }> = {
  'types that are alike share a template': { other: {}, want: ['one other'] },
  'types of two architectures start from two images': { other: { architecture: 'arm64' }, want: ['one', 'other'] },
  'types that take different numbers of pods are told so': { other: { pods: 58 }, want: ['one', 'other'] },
  'types with different numbers of EFA interfaces share a template where none is asked for': {
    one: { efa: 4 },
    other: { efa: 2 },
    want: ['one other'],
  },
  'they do not where some are': { one: { efa: 4 }, other: { efa: 2 }, asksForEFA: true, want: ['one', 'other'] },
  'a first network card that takes none is told': {
    one: { efa: 16, cards: 17 },
    other: { efa: 16, cards: 16 },
    asksForEFA: true,
    want: ['one', 'other'],
  },
  'of a single EFA interface it is not': {
    one: { efa: 1, cards: 2 },
    other: { efa: 1, cards: 1 },
    asksForEFA: true,
    want: ['one other'],
  },
}
test.each(Object.entries(groupings))('%s', (_name, { one = {}, other, asksForEFA = false, want }) => {
  const groups = groupsOf(one, other, asksForEFA)
  expect(groups.map(({ types }) => types.map(({ name }) => name).join(' '))).toEqual(want)
})
