import { describe, expect, test } from 'vitest'
import { kubernetesCelEnvironment } from '../../../../src/api/validation/cel-library.ts'
import { processorMs } from '../../../support/processor-time.ts'

const environment = kubernetesCelEnvironment()
const valueOf = (expression: string, variables: Record<string, unknown> = {}): unknown =>
  environment.parse(expression)(variables)

describe('matches() holds text against an expression of RE2, as API servers do', () => {
  const cases: Record<string, boolean> = {
    '"abc".matches("b")': true,
    '"abc".matches("^b")': false,
    'matches("abc", "^a.c$")': true,
    '"ü".matches("^\\\\pL$")': true,
    '"a\\nb".matches("(?s)a.b")': true,
    '["a", "b"].all(x, x.matches("^[ab]$"))': true,
    'name.matches(pattern)': true,
    'matches == 1 && {"matches": 2}.matches == 2': true,
  }
  test.each(Object.entries(cases))('%s is %s', (expression, want) => {
    expect(valueOf(expression, { name: 'm5.large', pattern: '^m', matches: 1n })).toBe(want)
  })

  test.each(['(?=x)', '(?<!x)y', '(a)\\\\1', '('])('%s is none', (pattern) => {
    expect(() => valueOf(`"x".matches("${pattern}")`)).toThrow(/error parsing regexp/)
  })

  test('what has no text is no overload', () => {
    expect(() => valueOf('"x".matches(5)')).toThrow("found no matching overload for 'string.matches (int)'")
    expect(() => valueOf('name.matches("x")', { name: 5n })).toThrow(
      "found no matching overload for 'int.matches (string)'",
    )
  })

  // Twenty-five letters take JavaScript's expressions seconds, and each more twice as long.
  test.each([25, 10_000])('which takes no longer for text that others go back over: %d letters', async (length) => {
    const ms = await processorMs(() => {
      expect(valueOf(`"${'a'.repeat(length)}!".matches("^(a+)+$")`)).toBe(false)
    })
    expect(ms).toBeLessThan(1_000)
  })
})

describe('semantic versions', () => {
  const cases: Record<string, unknown> = {
    'isSemver("1.2.3-rc.1+build")': true,
    'isSemver("1.2")': false,
    'isSemver("v1.2.3")': false,
    'isSemver("01.2.3")': false,
    'semver("1.10.0").isGreaterThan(semver("1.9.0"))': true,
    'semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))': true,
    'semver("1.0.0-rc.2").isLessThan(semver("1.0.0-rc.10"))': true,
    'semver("1.0.0-rc").isLessThan(semver("1.0.0-rc.1"))': true,
    'semver("1.0.0-1").isLessThan(semver("1.0.0-a"))': true,
    'semver("1.0.0+a").compareTo(semver("1.0.0+b"))': 0n,
    'semver("v1.010", true).compareTo(semver("1.10.0"))': 0n,
    'semver("v01-rc.1", true).compareTo(semver("1.0.0-rc.1"))': 0n,
    'isSemver("v1.0") || isSemver("v1.0", false) || isSemver("1.0.0.0", true) || isSemver("", true)': false,
    'isSemver("v1.0", true) && isSemver("1", true)': true,
    'semver("4.5.6").major() * 100 + semver("4.5.6").minor() * 10 + semver("4.5.6").patch()': 456n,
  }
  test.each(Object.entries(cases))('%s is %s', (expression, want) => {
    expect(valueOf(expression)).toBe(want)
  })

  test('what is none is refused by name', () => {
    expect(() => valueOf('semver("1.2")')).toThrow('not a semantic version: 1.2')
  })
})
