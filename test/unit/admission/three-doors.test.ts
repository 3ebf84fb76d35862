import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { offlineFacts } from '../../../src/cli/validate/facts.ts'
import { parseDocuments } from '../../../src/cli/input/documents.ts'
import { clientFor, createApiServer } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { validateReview } from '../../../webhooks/judge-review.ts'
import { apiCases, type CaseKind, caseObject } from '../../support/api-cases.ts'
import { runCommand } from '../../support/command-run.ts'
import { valueOf } from '../../support/generated-objects.ts'
import { mutated } from '../../support/mutated-objects.ts'
import { defineKinds } from '../../support/served-api-server.ts'

/** An object to judge, and the stored one where it is an update. */
interface Sample {
  readonly title: string
  readonly object: KubeObject
  readonly old?: KubeObject
}

interface Report {
  readonly name: string
  readonly allowed: boolean
  readonly errors: readonly { rule: string; path: string; message: string; fix: string | null }[]
  readonly warnings: readonly { rule: string; path: string; message: string }[]
}

const mutationsPerKind = 60
const generatedPerKind = 40
const updatesPerKind = 25

const kinds = ['NodePool', 'NodeClaim', 'NodeOverlay', 'EC2NodeClass'] as const
const samples = [...numbered(), ...odd(), ...mutations(), ...generated(), ...mutatedUpdates()]

let kube: KubeClient

beforeAll(async () => {
  const server = createApiServer({ clock: new VirtualClock(), random: new SeededRandom(1) })
  kube = clientFor(server, { fieldManager: 'test' })
  await defineKinds(server)
})

test('the corpus holds every numbered case and at least 300 objects more', () => {
  const numbers = new Set(samples.flatMap(({ title }) => /^case (\d+)/.exec(title)?.[1] ?? []))
  expect(numbers).toEqual(new Set(apiCases.map(({ number }) => String(number))))
  expect(samples.filter(({ title }) => !title.startsWith('case ')).length).toBeGreaterThanOrEqual(300)
})

test('with the rules of the definitions alone, API server, webhook and command line say the same', async () => {
  const webhook = await byWebhook('crd')
  const commandLine = await byCommandLine('crd')
  let refused = 0
  for (const [index, sample] of samples.entries()) {
    const server = await byServer(sample)
    const texts = [server, webhook[index]?.message, crdText(sample.object, commandLine[index])]
    if (server !== undefined) refused += 1
    expect(texts, `${sample.title}: ${JSON.stringify(sample)}`).toEqual([server, server, server])
    // What is sent to standard output of the command and what decides its exit code are one thing.
    expect(commandLine[index]?.allowed).toBe(server === undefined)
  }
  // Neither a corpus where all is refused nor one where nothing is would show much.
  expect(refused).toBeGreaterThan(samples.length / 5)
  expect(samples.length - refused).toBeGreaterThan(100)
})

test('with all rules, webhook and command line say the same', async () => {
  const webhook = await byWebhook('all')
  const commandLine = await byCommandLine('all')
  let ours = 0
  for (const [index, { title, object }] of samples.entries()) {
    const report = commandLine[index]
    if (report === undefined) throw new Error(`${title} was not reported on`)
    const rules = [...report.errors, ...report.warnings].filter(({ rule }) => rule.startsWith('JN-'))
    if (rules.length > 0) ours += 1
    const answer = webhook[index]
    expect([title, answer?.allowed]).toEqual([title, report.allowed])
    expect([title, answer?.message]).toEqual([title, fullText(object, report)])
    expect([title, answer?.warnings]).toEqual([title, report.warnings.map(warningText)])
  }
  expect(ours).toBeGreaterThan(50)
})

function numbered(): Sample[] {
  return apiCases.map(({ number, kind, name, old, change }, index) => {
    const object = caseObject(kind, { ...old, ...change }, `numbered-${index}`)
    const title = `case ${number}: ${name}`
    return old === undefined
      ? { title, object: asObject(object) }
      : { title, object: asObject(object), old: asObject(caseObject(kind, old, `numbered-${index}`)) }
  })
}

/** What random changes below `spec` never come to. */
function odd(): Sample[] {
  const pool = (name: string, metadata: object, more: object = {}, spec: object = {}): Sample => {
    const object = caseObject('NodePool', {}, `odd-${name.replaceAll(' ', '-')}`)
    const changed = {
      ...object,
      metadata: { ...object.metadata, ...metadata },
      spec: { ...object.spec, ...spec },
      ...more,
    }
    return { title: name, object: asObject(changed) }
  }
  return [
    pool('a status of another version', {}, { status: { conditions: [{ type: 'Ready' }], nodes: 'many' } }),
    pool('a status that is none', {}, { status: [] }),
    pool('a label that is none', { labels: { 'a b': 'c' } }),
    pool('a label that nobody can see', { labels: { a: '\u0001\u2028' } }),
    pool('an owner without a name', { ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: '', uid: 'u' }] }),
    pool('a finalizer that is none', { finalizers: ['a b'] }),
    pool('more replicas than scale can tell', {}, {}, { replicas: 3_000_000_000 }),
    pool('fewer replicas than none', {}, {}, { replicas: -1 }),
    pool('a whole number beyond 64 bits', {}, {}, { limits: { cpu: 1e20 } }),
    pool('a text in place of everything', {}, {}, { template: 'x' }),
    pool('a label of JavaScript', { labels: { constructor: 'a' } }, {}, { limits: { constructor: 1 } }),
  ]
}

function mutations(): Sample[] {
  const random = new SeededRandom(20_260_401)
  return kinds.flatMap((kind) =>
    Array.from({ length: mutationsPerKind }, (_, index) => {
      const name = `mutated-${kind.toLowerCase()}-${index}`
      return { title: name, object: asObject(mutated(caseObject(kind, changeOf(kind, random), name), random)) }
    }),
  )
}

function mutatedUpdates(): Sample[] {
  const random = new SeededRandom(20_260_402)
  return kinds.flatMap((kind) => {
    const accepted = apiCases.filter((one) => one.kind === kind && one.want === 'accepted')
    return Array.from({ length: updatesPerKind }, (_, index) => {
      const name = `updated-${kind.toLowerCase()}-${index}`
      const { old, change } = accepted[random.below(accepted.length)] ?? { change: {} }
      const stored = caseObject(kind, { ...old, ...change }, name)
      return { title: name, object: asObject(mutated(stored, random)), old: asObject(stored) }
    })
  })
}

function generated(): Sample[] {
  return customResourceDefinitions.flatMap(({ spec }, position) => {
    const [version] = spec.versions
    const schema = version?.schema?.openAPIV3Schema?.properties?.['spec']
    if (version === undefined || schema === undefined) return []
    const specs = fc.sample(valueOf(schema), { numRuns: generatedPerKind, seed: 20_260_403 + position })
    return specs.map((one, index): Sample => {
      const name = `generated-${spec.names.kind.toLowerCase()}-${index}`
      const namespace = spec.scope === 'Namespaced' ? { namespace: 'default' } : {}
      const object = {
        apiVersion: `${spec.group}/${version.name}`,
        kind: spec.names.kind,
        metadata: { name, ...namespace },
        spec: one,
      }
      // As it comes out of JSON: a sample has no undefined fields.
      return { title: name, object: JSON.parse(JSON.stringify(object)) as KubeObject }
    })
  })
}

function changeOf(kind: CaseKind, random: SeededRandom): Record<string, unknown> {
  const cases = apiCases.filter((one) => one.kind === kind)
  return { ...cases[random.below(cases.length)]?.change, ...cases[random.below(cases.length)]?.change }
}

/** What the refusal says; undefined when the object is stored. */
async function byServer({ object, old }: Sample): Promise<string | undefined> {
  const resource = resourceOf(object)
  try {
    if (old === undefined) {
      await kube.create(resource, structuredClone(object), { dryRun: true })
      return undefined
    }
    const { resourceVersion, uid } = (await kube.create(resource, structuredClone(old))).metadata
    const next = { ...object, metadata: { ...object.metadata, resourceVersion, uid } } as KubeObject
    await kube.update(resource, structuredClone(next), { dryRun: true })
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

async function byWebhook(rules: 'crd' | 'all') {
  const facts = offlineFacts(parseDocuments('-', stream(samples.map(({ object }) => object))))
  const validate = validateReview({
    clock: new VirtualClock(),
    rules,
    facts: async () => (rules === 'all' ? facts : {}),
  })
  return Promise.all(
    samples.map(async ({ object, old }) => {
      const [group = '', version = ''] = object.apiVersion.split('/')
      return validate({
        uid: 'u',
        kind: { group, version, kind: object.kind },
        operation: old === undefined ? 'CREATE' : 'UPDATE',
        subResource: '',
        name: object.metadata.name,
        namespace: object.metadata.namespace ?? '',
        username: 'test',
        dryRun: false,
        object,
        oldObject: old,
      })
    }),
  )
}

async function byCommandLine(rules: 'crd' | 'all'): Promise<Report[]> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-doors-'))
  try {
    writeFileSync(`${folder}/old.yaml`, stream(samples.flatMap(({ old }) => old ?? [])))
    const args = ['validate', '-f', '-', '--rules', rules, '-o', 'json', '--old', `${folder}/old.yaml`]
    const { stdout } = await runCommand(args, { stdin: stream(samples.map(({ object }) => object)) })
    return JSON.parse(stdout) as Report[]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** As an API server words a refusal. */
function crdText(object: KubeObject, report: Report | undefined): string | undefined {
  if (report === undefined || report.errors.length === 0) return undefined
  return refusal(
    object,
    report.errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)),
  )
}

function fullText(object: KubeObject, { errors }: Report): string | undefined {
  if (errors.length === 0) return undefined
  return refusal(
    object,
    errors.map(({ rule, path, message, fix }) => {
      const text = path === '' ? message : `${path}: ${message}`
      return rule.startsWith('JN-') ? `${text} (${rule}: ${fix})` : text
    }),
  )
}

function refusal(object: KubeObject, texts: readonly string[]): string {
  const [group = ''] = object.apiVersion.split('/')
  const list = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`
  return `${object.kind}.${group} ${JSON.stringify(object.metadata.name)} is invalid: ${list}`
}

function warningText({ rule, path, message }: Report['warnings'][number]): string {
  const text = `${rule}: ${path === '' ? '' : `${path}: `}${message}`.replaceAll(/\s+/g, ' ')
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`
}

function stream(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('')
}

function asObject(object: object): KubeObject {
  return JSON.parse(JSON.stringify(object)) as KubeObject
}

function resourceOf({ apiVersion, kind }: KubeObject): Resource<KubeObject> {
  const [group = '', version = ''] = apiVersion.split('/')
  const names = customResourceDefinitions.find(({ spec }) => spec.group === group && spec.names.kind === kind)?.spec
  return { group, version, kind, plural: names?.names.plural ?? '', namespaced: names?.scope === 'Namespaced' }
}
