import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

test('the kind of a class is only guessed where it is one of AWS', async () => {
  const pool = (reference: string) =>
    `apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\nspec:\n  template:\n    spec:\n      requirements: []\n      nodeClassRef:\n        name: x\n${reference}`
  const ours = await runCommand(['convert', '-'], { stdin: pool('') })
  expect(ours.stdout).toContain('kind: EC2NodeClass')
  const foreign = await runCommand(['convert', '-'], {
    stdin: pool('        apiVersion: karpenter.azure.com/v1alpha2\n'),
  })
  expect(foreign.stdout).toContain('group: karpenter.azure.com')
  expect(foreign.stdout).not.toContain('EC2NodeClass')
  expect(foreign.stderr).toBe('-:1:1 NodePool/a invalid: spec.template.spec.nodeClassRef.kind: Required value\n')
})
