import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../../src/api/karpenter.ts'
import { admit, type CompiledCustomResource, compileVersion } from '../../../../src/api/validation/index.ts'
import { type ApiCase, apiCases, type CaseKind, caseObject, caseTitle } from '../../../support/api-cases.ts'

function resourceOf(kind: CaseKind): CompiledCustomResource {
  const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === kind)
  const version = definition?.spec.versions[0]?.name
  const compiled = definition === undefined || version === undefined ? undefined : compileVersion(definition, version)
  if (compiled === undefined) throw new Error(`no definition of ${kind}`)
  return compiled
}

function messagesOf({ kind, old, change }: ApiCase): string[] {
  const resource = resourceOf(kind)
  const stored = old === undefined ? undefined : admit(resource, caseObject(kind, old)).object
  return admit(resource, caseObject(kind, { ...old, ...change }), stored).errors.map(({ message }) => message)
}

test('the table holds all 133 numbered cases', () => {
  expect(new Set(apiCases.map(({ number }) => number)).size).toBe(133)
})

test.each(apiCases.map((one) => [caseTitle(one), one] as const))('%s', (_title, one) => {
  const messages = messagesOf(one)
  if (one.want === 'accepted') expect(messages).toEqual([])
  else expect(messages).toContainEqual(expect.stringContaining(one.want.refusal))
})
