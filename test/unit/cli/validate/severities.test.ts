import { expect, test } from 'vitest'
import { classManifest } from '../../../support/class-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

/** Of a class whose images are whatever is the latest, of which JN-207 warns. */
const withSeverity = (...severities: string[]) =>
  runCommand(['validate', '-', ...severities.flatMap((text) => ['--severity', text])], {
    stdin: classManifest,
  })

test.each([
  ['as it is', [], 0, ['warning: ', '0 refused, 1 warning']],
  ['denied', ['JN-207=deny'], 1, ['.alias: "al2023@latest" replaces', '1 refused, 0 warnings']],
  ['off', ['JN-207=off'], 0, ['0 refused, 0 warnings']],
  ['warned of again by what is said last', ['JN-207=deny', 'JN-207=warn'], 0, ['0 refused, 1 warning']],
])('a rule can be %s', async (_name, severities, code, parts) => {
  const answer = await withSeverity(...severities)
  expect([answer.code, answer.stderr]).toEqual([code, ''])
  for (const part of parts) expect(answer.stdout).toContain(part)
})

test.each([
  ['JN-207', 'expected RULE=deny, RULE=warn or RULE=off'],
  ['JN-207=error', 'expected RULE=deny, RULE=warn or RULE=off'],
  ['xJN-207=off', 'expected RULE=deny, RULE=warn or RULE=off'],
  ['JN-999=off', 'there is no rule JN-999'],
])('what sets no severity is refused: %s', async (text, message) => {
  expect(await withSeverity(text)).toEqual({ code: 2, stdout: '', stderr: `error: --severity ${text}: ${message}\n` })
})
