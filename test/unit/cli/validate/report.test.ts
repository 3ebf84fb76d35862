import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { classManifest } from '../../../support/class-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

/** With a value that no server takes and a misspelt field. */
const refused = classManifest.replace('role: r', 'role: r\n  userdata: x\n  metadataOptions: { httpTokens: "100%" }')
const wrong = 'spec.metadataOptions.httpTokens: Unsupported value: "100%": supported values: "required", "optional"'
const unknown = 'unknown field "spec.userdata"'
const rest =
  'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'

/** In a file whose name has what the formats escape. */
function report(format: string, file = 'a, b.yaml') {
  const cwd = mkdtempSync(join(tmpdir(), 'joinery-report-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, file), refused)
  return runCommand(['validate', file, '-o', format], { cwd })
}

test('without a file there is nothing to validate, which is a mistake of usage', async () => {
  expect(await runCommand(['validate'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: nothing to validate: name a file, a folder, or - for standard input\n',
  })
})

test('as text every problem has its line, and below it its fix', async () => {
  expect(await report('text')).toEqual({
    code: 1,
    stdout: `a, b.yaml:7:22 EC2NodeClass/default ${wrong} (schema)
a, b.yaml:1:1 EC2NodeClass/default: ${rest} (schema)
a, b.yaml:6:3 EC2NodeClass/default spec.userdata: warning: ${unknown} (schema)
    fix: Did you mean "userData"?
1 document, 1 refused, 1 warning
`,
    stderr: '',
  })
})

test('a fix that lines in a row have in common stands below the last of them', async () => {
  const twice = refused.replace(
    'role: r',
    'role: r\n  blockDeviceMappings: [{ ebs: { volumesize: 1 } }, { ebs: { volumesize: 1 } }]',
  )
  const { stdout } = await runCommand(['validate', '-'], { stdin: twice })
  expect(stdout.split('\n').filter((line) => line.includes('fix:') || line.includes('volumesize'))).toEqual([
    expect.stringContaining('[0].ebs.volumesize'),
    expect.stringContaining('[1].ebs.volumesize'),
    '    fix: Did you mean "volumeSize"?',
    '    fix: Did you mean "userData"?',
  ])
})

test('for GitHub each is an annotation of its line, escaped', async () => {
  const at = (line: number, col: number) => `file=a%2C b.yaml,line=${line},col=${col},title=schema`
  expect(await report('github')).toEqual({
    code: 1,
    stdout: `::error ${at(7, 22)}::EC2NodeClass/default ${wrong.replace('%', '%25')}
::error ${at(1, 1)}::EC2NodeClass/default: ${rest}
::warning ${at(6, 3)}::EC2NodeClass/default spec.userdata: ${unknown}%0ADid you mean "userData"?
`,
    stderr: '',
  })
})

test('for GitHub a folder in which nothing is wrong prints nothing', async () => {
  const args = ['validate', '-', '-o', 'github', '--severity', 'JN-207=off']
  expect(await runCommand(args, { stdin: classManifest })).toEqual({ code: 0, stdout: '', stderr: '' })
})

interface Sarif {
  readonly runs: readonly [
    { readonly tool: { readonly driver: { readonly rules: unknown } }; readonly results: unknown },
  ]
}

const inSarif = (uri: string, startLine: number, startColumn: number) => [
  { physicalLocation: { artifactLocation: { uri }, region: { startLine, startColumn } } },
]

test('SARIF has every problem with its level and place', async () => {
  const { code, stdout } = await report('sarif', 'a #1?.yaml')
  const [run] = (JSON.parse(stdout) as Sarif).runs
  const uri = 'a%20%231%3F.yaml'
  expect([code, run.results]).toEqual([
    1,
    [
      {
        ruleId: 'schema',
        level: 'error',
        message: { text: `EC2NodeClass/default ${wrong}` },
        locations: inSarif(uri, 7, 22),
      },
      {
        ruleId: 'schema',
        level: 'error',
        message: { text: `EC2NodeClass/default: ${rest}` },
        locations: inSarif(uri, 1, 1),
      },
      {
        ruleId: 'schema',
        level: 'warning',
        message: { text: `EC2NodeClass/default spec.userdata: ${unknown}` },
        locations: inSarif(uri, 6, 3),
      },
    ],
  ])
})

test('SARIF describes each rule of ours that spoke once, with its page; standard input has a name', async () => {
  const two = `a: b: c\n---\n${classManifest}---\n${classManifest.replace('name: default', 'name: other')}`
  const [run] = (JSON.parse((await runCommand(['validate', '-', '-o', 'sarif'], { stdin: two })).stdout) as Sarif).runs
  expect(run.tool.driver.rules).toEqual([
    {
      id: 'JN-207',
      shortDescription: { text: expect.any(String) as string },
      help: { text: expect.stringMatching(/\. See docs\/rules\/JN-207\.md\.$/) as string },
    },
    { id: 'syntax' },
  ])
  expect(run.results).toMatchObject([
    { ruleId: 'syntax', level: 'error', message: { text: expect.stringMatching(/^[A-Z][^/]+$/) as string } },
    { ruleId: 'JN-207', locations: inSarif('stdin', 8, 24) },
    { ruleId: 'JN-207' },
  ])
})
