import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { parseDocuments } from '../../../../src/cli/input/documents.ts'
import { isAboutVariable, variablesOf, withoutVariables } from '../../../../src/cli/input/variables.ts'
import { runCommand } from '../../../support/command-run.ts'

/*
 * Flux puts variables in as it applies. A manifest in which they still stand is not what the cluster gets: a plan of it would say that every
 * node is replaced, for a role that is named like the variable.
 */

const nodeClass = (spec: object) => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'main' },
  spec: {
    role: 'KarpenterNodeRole-demo',
    amiSelectorTerms: [{ alias: 'al2023@v20251112' }],
    subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
    ...spec,
  },
})

function messagesOf(object: object): readonly string[] {
  return withoutVariables(parseDocuments('a.yaml', JSON.stringify(object))).flatMap(({ content }) =>
    content.kind === 'unreadable' ? content.problems.map(({ message }) => message) : [],
  )
}

const says = (path: string, variable: string) =>
  `${path} has ${variable}, a variable that is still to be put in, as flux envsubst does`

test.each([
  [{ role: 'KarpenterNodeRole-${cluster_name}' }, says('spec.role', '${cluster_name}')],
  [{ amiSelectorTerms: [{ alias: 'al2023@${v:=v1}' }] }, says('spec.amiSelectorTerms[0].alias', '${v:=v1}')],
  [{ tags: { team: '${team:-core}' } }, says('spec.tags.team', '${team:-core}')],
  [{ tags: { '${key}': 'x' } }, says('spec.tags', '${key}')],
])('is told where it stands: %j', (spec, message) => {
  expect(messagesOf(nodeClass(spec))).toEqual([message])
})

test('every one of a document is told, and that of its name', () => {
  const object = { ...nodeClass({ role: '${role}' }), metadata: { name: 'main-${zone}' } }
  expect(messagesOf(object)).toEqual([says('metadata.name', '${zone}'), says('spec.role', '${role}')])
})

test.each([
  ['user data is a script, whose variables are its own', nodeClass({ userData: 'echo ${HOME}' })],
  [
    'what Flux was told to leave alone, or does not know as one',
    nodeClass({ tags: { a: '$${b}', c: '${aws:user}', d: '$e' } }),
  ],
  [
    'objects of others',
    { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: '${a}' }, spec: { schedule: '${b}' } },
  ],
  ['what is no text', nodeClass({ kubelet: null, tags: { a: 1 } })],
  [
    'queries of Prometheus',
    {
      apiVersion: 'joinery.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'a' },
      spec: { gates: { prometheus: { query: 'up{a=~"${b}"}' } } },
    },
  ],
])('is none: %s', (_what, object) => {
  const documents = parseDocuments('a.yaml', JSON.stringify(object))
  expect(withoutVariables(documents)).toEqual(documents)
})

describe('a problem', () => {
  const [document] = parseDocuments('a.yaml', JSON.stringify(nodeClass({ tags: { team: '${team}' } })))
  const variables = document === undefined ? [] : variablesOf(document)

  test.each([
    ['where it stands, whatever it says', 'spec.tags.team', 'too short', true],
    ['around it that names it', 'spec.tags', 'invalid value "${team}"', true],
    ['around it that names another', 'spec.tags', 'invalid value "${group}"', false],
    ['beside it, by a name that its own begins with', 'spec.tags.te', 'invalid value "${team}"', false],
    ['elsewhere, of the same text', 'spec.role', 'invalid value "${team}"', false],
  ])('%s', (_where, path, message, isAbout) => {
    expect(isAboutVariable({ path, message }, variables)).toBe(isAbout)
  })
})

describe('commands that take manifests', () => {
  let folder = ''
  afterEach(() => rmSync(folder, { recursive: true }))

  test.each([['hash'], ['plan', '--snapshot', 'snapshot.yaml', '-f']])('%s refuses it', async (...args) => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-variables-'))
    const file = join(folder, 'class.json')
    writeFileSync(file, JSON.stringify(nodeClass({ role: '${role}' }), null, 2))
    const { code, stdout, stderr } = await runCommand([...args, file])
    expect(code).toBe(1)
    const told = `${stdout}${stderr}`.replace(' /:', ':')
    expect(told).toContain(`class.json:8:5: ${says('spec.role', '${role}')}`)
  })

  const pool = (spec: object) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: '${cluster}-general' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'main' },
          requirements: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['${region}a', 'eu-west-1b'] }],
          taints: [{ key: 'team', value: '${team}', effect: 'NoSchedule' }],
        },
      },
      limits: { cpu: '${cpu}' },
      ...spec,
    },
  })

  async function validated(object: object, ...args: string[]) {
    folder = mkdtempSync(join(tmpdir(), 'joinery-variables-'))
    const file = join(folder, 'object.json')
    writeFileSync(file, JSON.stringify(object))
    const { code, stdout } = await runCommand(['validate', file, '-o', 'json', ...args])
    const [report] = JSON.parse(stdout) as {
      allowed: boolean
      errors: { path: string }[]
      warnings: { rule: string }[]
    }[]
    return { code, ...report, errors: report?.errors.map(({ path }) => path) }
  }

  test('validate does not hold the text of the variable itself against a manifest: that is not what comes', async () => {
    const { code, allowed, errors, warnings } = await validated(pool({ weight: '${weight}' }))
    expect({ code, allowed, errors }).toEqual({ code: 0, allowed: true, errors: [] })
    expect(warnings?.filter(({ rule }) => rule === 'variable')).toHaveLength(5)
  })

  test('rules that need the whole manifest do not, either', async () => {
    expect(await validated(pool({}))).toMatchObject({ code: 0, errors: [] })
  })

  test('nor do rules that read a number from it', async () => {
    const generation = { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['${generation}'] }
    const { spec } = pool({})
    const object = pool({ template: { spec: { ...spec.template.spec, requirements: [generation] } } })
    expect(await validated(object)).toMatchObject({ code: 0, errors: [] })
  })

  test('what else is wrong with it is refused', async () => {
    const disruption = { consolidateAfter: '${after}', consolidationPolicy: 'Sometimes' }
    const { code, errors } = await validated(pool({ weight: 1_000, disruption }))
    expect({ code, errors }).toEqual({
      code: 1,
      errors: ['spec.disruption.consolidationPolicy', 'spec.weight', '<nil>'],
    })
  })

  test('with --strict the text counts as it stands', async () => {
    const { errors } = await validated(pool({}), '--strict')
    expect(errors).toEqual([
      'metadata.name',
      'spec.limits.cpu',
      'spec.template.spec.taints[0].value',
      'spec.template.spec.taints[0]',
      'spec.template.spec.requirements[0]',
      'spec.limits.cpu',
    ])
  })

  test('validate judges it as it stands, as an API server would, and warns', async () => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-variables-'))
    const file = join(folder, 'class.json')
    writeFileSync(file, JSON.stringify(nodeClass({ role: '${role}' }), null, 2))
    const { code, stdout } = await runCommand(['validate', file, '-o', 'json'])
    expect(code).toBe(0)
    const [report] = JSON.parse(stdout) as { warnings: unknown[] }[]
    expect(report?.warnings).toContainEqual({
      rule: 'variable',
      path: 'spec.role',
      message: '${role}, a variable that is still to be put in, as flux envsubst does',
      line: 8,
      column: 5,
      fix: null,
    })
  })
})
