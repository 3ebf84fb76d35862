import { expect, test } from 'vitest'
import { refusedFleet, splitFleet, withFleetErrors, withoutInstances } from './ec2-wire.ts'

const form = new URLSearchParams([
  ['Action', 'CreateFleet'],
  ['LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName', 'a'],
  ['LaunchTemplateConfigs.1.Overrides.1.InstanceType', 'c5.large'],
  ['LaunchTemplateConfigs.1.Overrides.1.AvailabilityZone', 'us-east-1a'],
  ['LaunchTemplateConfigs.2.LaunchTemplateSpecification.LaunchTemplateName', 'b'],
  ['LaunchTemplateConfigs.2.Overrides.1.InstanceType', 'm5.large'],
  ['LaunchTemplateConfigs.2.Overrides.1.AvailabilityZone', 'us-east-1a'],
  ['LaunchTemplateConfigs.2.Overrides.2.InstanceType', 'm5.large'],
  ['LaunchTemplateConfigs.2.Overrides.2.AvailabilityZone', 'us-east-1b'],
  ['TargetCapacitySpecification.DefaultTargetCapacityType', 'spot'],
]).toString()

test('what pools without capacity leave over is numbered anew', () => {
  const { rest, refused } = splitFleet(form, ({ type, zone }) => type === 'c5.large' || zone === 'us-east-1b')
  expect(Object.fromEntries(new URLSearchParams(rest))).toEqual({
    Action: 'CreateFleet',
    'LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName': 'b',
    'LaunchTemplateConfigs.1.Overrides.1.InstanceType': 'm5.large',
    'LaunchTemplateConfigs.1.Overrides.1.AvailabilityZone': 'us-east-1a',
    'TargetCapacitySpecification.DefaultTargetCapacityType': 'spot',
  })
  expect(refused).toEqual([
    { type: 'c5.large', zone: 'us-east-1a', lifecycle: 'spot' },
    { type: 'm5.large', zone: 'us-east-1b', lifecycle: 'spot' },
  ])
})

test('a fleet that finds capacity everywhere, or nowhere', () => {
  expect(splitFleet(form, () => false)).toEqual({ rest: form, refused: [] })
  const { rest, refused } = splitFleet(form, () => true)
  expect([rest, refused.length]).toEqual([undefined, 3])
  expect(refusedFleet(refused).match(/<errorCode>InsufficientInstanceCapacity</g)).toHaveLength(3)
})

test('errors stand beside instances', () => {
  const pool = { type: 'c5.large', zone: 'us-east-1a', lifecycle: 'on-demand' } as const
  const xml = withFleetErrors('<CreateFleetResponse><errorSet/><x/></CreateFleetResponse>', [pool])
  expect(xml).toMatch(/^<CreateFleetResponse><x\/><errorSet><item>.*<\/item><\/errorSet><\/CreateFleetResponse>$/)
})

test('instances that do not show up yet are left out, with all that is nested in them', () => {
  const nested = (id: string) => `<item><instanceId>${id}</instanceId><tagSet><item><key>k</key></item></tagSet></item>`
  const xml = `<reservationSet><item><instancesSet>${nested('i-1')}${nested('i-2')}</instancesSet></item></reservationSet>`
  expect(withoutInstances(xml, ['i-1'])).toBe(
    `<reservationSet><item><instancesSet>${nested('i-2')}</instancesSet></item></reservationSet>`,
  )
})
