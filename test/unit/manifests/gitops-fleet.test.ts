import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'

/*
 * The ApplicationSets for many clusters against the Applications for one: what they make is the same, in the order of stages, and nothing
 * that happens to the list of clusters takes nodes away.
 */

interface Expression {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

interface Application {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec: Spec
}

interface Spec {
  readonly source: Readonly<Record<string, unknown>>
  readonly destination: Readonly<Record<string, string>>
  readonly syncPolicy: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

interface ApplicationSet {
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly goTemplate: boolean
    readonly goTemplateOptions: readonly string[]
    readonly generators: readonly {
      readonly clusters: { readonly selector: { readonly matchExpressions: readonly Expression[] } }
    }[]
    readonly syncPolicy: unknown
    readonly strategy: {
      readonly type: string
      readonly rollingSync: { readonly steps: readonly { readonly matchExpressions: readonly Expression[] }[] }
    }
    readonly template: Application
  }
}

const folder = join(import.meta.dirname, '../../../manifests/argocd')
const documents = (file: string) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document): unknown => document.toJS())
const applications = documents('applications.yaml') as Application[]
const sets = documents('fleet.yaml') as ApplicationSet[]

/** What the generator gives for a cluster, of which Argo CD has a name that is none of Kubernetes'. */
const cluster = { name: 'prod_Eu', nameNormalized: 'prod-eu', server: 'https://10.0.0.1', stage: 'production' }

/** The Application that is made for the cluster; the templates use nothing but these four. */
function madeFrom({ spec }: ApplicationSet): Application {
  const text = JSON.stringify(spec.template).replace(/\{\{ (.*?) \}\}/g, (_all, inner: string) => {
    const field = /^\.(name|nameNormalized|server)$/.exec(inner)?.[1]
    if (field !== undefined) return cluster[field as 'name' | 'nameNormalized' | 'server']
    expect(JSON.parse(`"${inner}"`)).toBe('index .metadata.labels "platform.example.com/stage"')
    return cluster.stage
  })
  expect(text).not.toContain('{{')
  return JSON.parse(text) as Application
}

test('there is one for each Application of a single cluster', () => {
  expect(sets.map(({ metadata }) => metadata.name)).toEqual(applications.map(({ metadata }) => metadata.name))
})

describe.each(sets.map((set) => [set.metadata.name, set] as const))('%s', (name, set) => {
  const { spec: single } = applications.find(({ metadata }) => metadata.name === name) as Application
  const { metadata, spec } = madeFrom(set)

  test('makes the Application of a single cluster, in another cluster', () => {
    expect(metadata.name).toBe(`${name}-prod-eu`)
    expect(spec.destination).toEqual({ ...single.destination, server: cluster.server })
    const { retry: _retry, ...syncPolicy } = spec.syncPolicy
    expect(syncPolicy).toEqual(single.syncPolicy)
    expect(spec['ignoreDifferences']).toEqual(single['ignoreDifferences'])
    const path = name === 'joinery-pools' ? `clusters/${cluster.name}/pools` : single.source['path']
    const helm = JSON.parse(JSON.stringify(single.source).replace('"demo"', `"${cluster.name}"`)) as object
    expect(spec.source).toEqual({ ...helm, path })
  })

  test('neither deletes Applications nor has them delete what they made', () => {
    expect(set.spec.syncPolicy).toEqual({ applicationsSync: 'create-update', preserveResourcesOnDeletion: true })
  })

  test('goes by stages, canaries first, and every cluster that it selects has one', () => {
    const [generator] = set.spec.generators
    const [selector] = generator?.clusters.selector.matchExpressions ?? []
    expect(selector?.key).toBe('platform.example.com/stage')
    const { type, rollingSync } = set.spec.strategy
    const steps = rollingSync.steps.map(({ matchExpressions }) => matchExpressions)
    expect(type).toBe('RollingSync')
    expect(steps.flat().map(({ key, operator, values }) => [key, operator, ...values])).toEqual([
      ['stage', 'In', 'canary'],
      ['stage', 'In', 'production'],
    ])
    expect(steps.flat().flatMap(({ values }) => values)).toEqual(selector?.values)
    expect(metadata.labels).toEqual({ stage: cluster.stage })
  })

  test('fails for a cluster without what the template asks for, in the place of writing nothing there', () => {
    expect([set.spec.goTemplate, set.spec.goTemplateOptions]).toEqual([true, ['missingkey=error']])
  })
})
