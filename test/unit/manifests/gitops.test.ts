import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { recordedKinds } from '../../../src/cli/snapshot/read-cluster.ts'
import { runCommand } from '../../support/command-run.ts'

const folder = join(import.meta.dirname, '../../../manifests/gitops')
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

interface Step {
  readonly name?: string
  readonly uses?: string
  readonly run?: string
  readonly with?: { readonly script?: string }
}

/** Every line that calls the command line, wherever it stands. */
function calls(script: string): readonly (readonly string[])[] {
  return script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('joinery '))
    .map((line) => (line.split(/ [>|]/)[0] ?? '').split(/\s+/).slice(1))
}

function githubScript(): string {
  const workflow = parse(read('github-action.yaml')) as { readonly jobs: { readonly plan: { readonly steps: Step[] } } }
  return workflow.jobs.plan.steps.map(({ run = '' }) => run).join('\n')
}

function gitlabScript(): string {
  const pipeline = parse(read('gitlab-ci.yaml')) as { readonly 'joinery-plan': { readonly script: string[] } }
  return pipeline['joinery-plan'].script.join('\n')
}

describe.each([
  ['github-action.yaml', githubScript],
  ['gitlab-ci.yaml', gitlabScript],
])('%s', (_name, scriptOf) => {
  test('records the cluster, validates, and plans as Markdown and SARIF', () => {
    const found = calls(scriptOf())
    expect(found.map(([command]) => command)).toEqual(expect.arrayContaining(['snapshot', 'validate', 'plan']))
    const formats = found.filter(([command]) => command === 'plan').map((args) => args[args.indexOf('-o') + 1])
    expect(formats).toEqual(expect.arrayContaining(['markdown', 'sarif']))
  })

  test('every command and flag that it uses exists', async () => {
    for (const [command = '', ...args] of calls(scriptOf())) {
      const { code, stdout: help } = await runCommand([command, '--help'])
      expect({ command, code }).toEqual({ command, code: 0 })
      expect(help).toContain(`Usage: joinery ${command}`)
      for (const flag of args.filter((arg) => arg.startsWith('-'))) {
        expect(help, `${command} ${flag}`).toMatch(new RegExp(`(^|[ ,])${flag}[ ,]`, 'm'))
      }
    }
  })

  test('the snapshot that is planned on is the one that was recorded', () => {
    const found = calls(scriptOf())
    const recorded = found.filter(([command]) => command === 'snapshot').map((args) => args[args.indexOf('--out') + 1])
    for (const args of found.filter(([command]) => command === 'plan')) {
      expect(recorded).toEqual([args[args.indexOf('--snapshot') + 1]])
    }
  })
})

test('a pull request has one comment, which is written again', () => {
  const { jobs } = parse(read('github-action.yaml')) as { readonly jobs: { readonly plan: { readonly steps: Step[] } } }
  const script = jobs.plan.steps.flatMap((step) => step.with?.script ?? []).join('\n')
  expect(script).toContain('updateComment')
  // It is what the step runs, so it must at least be JavaScript.
  expect(() => new Script(`(async (github, context, require) => {${script}})`)).not.toThrow()
})

test('a change of YAML starts a pipeline, however its name ends', () => {
  const { on } = parse(read('github-action.yaml')) as {
    readonly on: { readonly pull_request: { readonly paths: readonly string[] } }
  }
  const jobs = parse(read('gitlab-ci.yaml')) as Readonly<
    Record<'joinery-plan' | 'joinery-note', { readonly rules: readonly { readonly changes: readonly string[] }[] }>
  >
  const paths = [
    on.pull_request.paths,
    ...[jobs['joinery-plan'], jobs['joinery-note']].flatMap(({ rules }) => rules.map(({ changes }) => changes)),
  ]
  for (const each of paths) expect(each).toEqual(['**/*.yaml', '**/*.yml'])
})

test('a merge request starts a pipeline where the variables are, not in a fork', () => {
  const { stages, ...jobs } = parse(read('gitlab-ci.yaml')) as Readonly<Record<string, GitLabJob>>
  // They would be those of the project that includes it, too, and none of its own jobs might be left a stage.
  expect(stages).toBeUndefined()
  const runsIn = (rule: { readonly if: string }, project: string): boolean => {
    const variables: Readonly<Record<string, string>> = {
      CI_PIPELINE_SOURCE: 'merge_request_event',
      CI_PROJECT_ID: project,
      CI_MERGE_REQUEST_PROJECT_ID: '12',
    }
    const valueOf = (_: string, name: string): string => JSON.stringify(variables[name])
    return new Script(rule.if.replaceAll(/\$(\w+)/g, valueOf)).runInNewContext() as boolean
  }
  for (const [name, { rules, stage }] of Object.entries(jobs)) {
    const [rule = { if: '' }] = rules
    expect({ name, stage, own: runsIn(rule, '12'), fork: runsIn(rule, '99') }).toEqual({ name, own: true, fork: false })
  }
})

interface GitLabJob {
  readonly stage?: string
  readonly rules: readonly { readonly if: string }[]
}

test('code scanning, which not every repository has, comes after the comment', () => {
  const { jobs } = parse(read('github-action.yaml')) as { readonly jobs: { readonly plan: { readonly steps: Step[] } } }
  const [last, before] = jobs.plan.steps.toReversed()
  expect(last?.uses).toMatch(/upload-sarif/)
  expect(before?.name).toBe('Comment')
})

test('the reader of plans may list just what a snapshot records', () => {
  const role = parseAllDocuments(read('plan-reader.yaml'))
    .map((document) => document.toJS() as { readonly kind: string; readonly rules?: Rule[] })
    .find(({ kind }) => kind === 'ClusterRole')
  const granted = (role?.rules ?? []).flatMap(({ apiGroups, resources }) =>
    apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  )
  expect(granted.toSorted()).toEqual(recordedKinds.map(({ group, plural }) => `${group}/${plural}`).toSorted())
  expect(new Set((role?.rules ?? []).flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list']))
})

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}
