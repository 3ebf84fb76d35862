import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

/** A Provisioner of old had its settings of AWS in itself, or none; a NodePool has to name a class. */
async function toldOf(more: string): Promise<string> {
  const stdin = `apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: { name: a }\nspec:\n  ${more}\n`
  return (await runCommand(['convert', '-'], { stdin })).stderr
}

test('with settings of its own it is told which class they are to be', async () => {
  expect(await toldOf('provider: { instanceProfile: p }')).toContain(
    'lost: an inline provider has no equivalent: write its settings as EC2NodeClass default',
  )
})

test('without any it is told which class is taken to be meant', async () => {
  expect(await toldOf('weight: 1')).toContain(
    'check: it names no AWSNodeTemplate: EC2NodeClass default is taken to be meant',
  )
})

test('a class that it names goes without saying', async () => {
  expect(await toldOf('providerRef: { name: x }')).not.toContain('EC2NodeClass')
})
