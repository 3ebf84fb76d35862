import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ruleIDs, rules } from '../../../src/admission/index.ts'

describe('the catalogue of rules', () => {
  test('has unique IDs in order', () => {
    expect(ruleIDs).toEqual([...new Set(ruleIDs)].sort())
  })

  test.each(rules.map((rule) => [rule.id, rule] as const))('%s has a page with its title and severity', (id, rule) => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'rules', `${id}.md`), 'utf8')
    expect(page).toContain(`# ${id}: ${rule.title}`)
    expect(page).toContain(`Default severity: \`${rule.severity}\``)
  })
})
