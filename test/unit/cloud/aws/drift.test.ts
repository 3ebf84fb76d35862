import { expect, test } from 'vitest'
import type { EC2NodeClass, NodeClaim } from '../../../../src/api/karpenter.ts'
import { staticDrift } from '../../../../src/cloud/aws/drift.ts'

const hash = { version: 'v6', of: () => '2', inputOf: () => ({}) }

function stamped(value: string, version = 'v6') {
  const annotations = {
    'karpenter.k8s.aws/ec2nodeclass-hash': value,
    'karpenter.k8s.aws/ec2nodeclass-hash-version': version,
  }
  return { metadata: { name: 'default', annotations } }
}

const cases: Record<string, { claim: string; class: string; version?: string; want: string | undefined }> = {
  'its hash is another': { claim: '1', class: '2', want: 'NodeClassDrift' },
  'its hash is the same': { claim: '2', class: '2', want: undefined },
  'its hash is of another version': { claim: '1', class: '2', version: 'v5', want: undefined },
  // Somebody took an edit back, or the claim was launched after one, before the class was stamped anew.
  "its hash is that of the class's spec, which the class's stamp is not yet": {
    claim: '2',
    class: '1',
    want: undefined,
  },
  'its hash is neither': { claim: '3', class: '1', want: 'NodeClassDrift' },
}
test.each(Object.entries(cases))('a claim may drift from its class: %s', (_name, { claim, version, want, ...of }) => {
  const nodeClass = stamped(of.class) as unknown as EC2NodeClass
  expect(staticDrift(stamped(claim, version) as unknown as NodeClaim, nodeClass, hash)?.reason).toBe(want)
})
