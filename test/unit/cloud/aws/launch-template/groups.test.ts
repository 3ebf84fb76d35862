import { expect, test } from 'vitest'
import { aLaunchClaim, aNodeClass, capacityIn } from '../../../../support/aws-world.ts'
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
