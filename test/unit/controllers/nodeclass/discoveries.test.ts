import { expect, test } from 'vitest'
import { logDiscoveries } from '../../../../src/controllers/nodeclass/discoveries.ts'
import { recordingLogger } from '../../../support/recording-logger.ts'

const image = (id: string) => ({ id, name: id, requirements: [] })
const subnet = (id: string) => ({ id, zone: 'us-east-1a', zoneID: 'use1-az6' })

test('what a class selects is logged when it is another selection, in whatever order it comes', () => {
  const log = recordingLogger()
  const first = { amis: [image('ami-1')], subnets: [subnet('subnet-1'), subnet('subnet-2')], securityGroups: [] }
  logDiscoveries(undefined, first, log)
  expect(log.lines.map(({ message, fields }) => [message, fields])).toEqual([
    ['discovered amis', { ids: ['ami-1'] }],
    ['discovered subnets', { subnets: [subnet('subnet-1'), subnet('subnet-2')] }],
  ])
  logDiscoveries(first, { ...first, subnets: first.subnets.toReversed() }, log)
  expect(log.lines).toHaveLength(2)
  logDiscoveries(first, { ...first, amis: [image('ami-2')], securityGroups: [{ id: 'sg-1' }] }, log)
  expect(log.lines.slice(2).map(({ message }) => message)).toEqual(['discovered amis', 'discovered security groups'])
})
