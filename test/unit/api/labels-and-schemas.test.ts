import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { awsLabelKeys } from '../../../src/api/labels.ts'

const awsKey = /karpenter\.k8s\.aws\/[a-z0-9-]+/g
const notForOverlays = [
  'instance-tenancy',
  'capacity-reservation-type',
  'capacity-reservation-id',
  'capacity-reservation-interruptible',
  'placement-group-id',
  'placement-group-partition',
]

test.each([
  ['NodePool', awsLabelKeys],
  ['NodeClaim', awsLabelKeys],
  ['NodeOverlay', awsLabelKeys.filter((key) => !notForOverlays.includes(key.slice('karpenter.k8s.aws/'.length)))],
])('the rules of %s admit exactly the AWS keys that the code knows', (kind, keys) => {
  const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === kind)
  const spec = definition?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']
  expect(new Set(JSON.stringify(spec).match(awsKey))).toEqual(new Set(keys))
})
