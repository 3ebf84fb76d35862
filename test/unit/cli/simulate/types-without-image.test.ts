import { expect, test } from 'vitest'
import type { EC2NodeClass } from '../../../../src/api/karpenter.ts'
import { builtInTypes } from '../../../../src/cli/simulate/instance-types.ts'
import { regionFacts } from '../../../../src/embedded/aws/catalogue.ts'
import { aNodeClass } from '../../../support/aws-world.ts'

const region = regionFacts('us-east-1')

function lacking(amis: NonNullable<NonNullable<EC2NodeClass['status']>['amis']>): readonly string[] {
  const types = builtInTypes(aNodeClass({}, { status: { amis } }), region)
  return types.flatMap(({ name, lacksImage }) => (lacksImage === true ? [name] : []))
}

test('built-in types say where the class has no image for them', () => {
  const amd = aNodeClass().status?.amis?.filter(({ id }) => id === 'ami-amd') ?? []
  expect(amd).toHaveLength(1)
  expect(lacking(amd)).toEqual(expect.arrayContaining(['m6g.large', 'c7g.xlarge']))
  expect(lacking(amd)).not.toContain('m5.large')
})

test('a class that has found no image at all says it of none', () => expect(lacking([])).toEqual([]))
