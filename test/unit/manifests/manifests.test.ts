import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { judge } from '../../../src/admission/index.ts'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { apiCases, caseObject, caseTitle } from '../../support/api-cases.ts'
import { builtInSchemaProblems } from '../../support/built-in-schema.ts'
import { registryKinds } from './known-kinds.ts'

const root = join(import.meta.dirname, '../../../manifests')

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)) : [join(folder, entry.name)],
  )
}

/** Of other readers than the API server: charts, whose templates a real helm renders elsewhere, and pipelines. */
const otherYAML = /\/templates\/|\/(Chart|values|github-action|gitlab-ci)\.yaml$/

/** Every manifest that is shipped as plain YAML. */
const objects = filesBelow(root)
  .filter((file) => /\.ya?ml$/.test(file) && !otherYAML.test(file))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
      expect(document.errors).toEqual([])
      return { file: relative(root, file), object: document.toJS() as KubeObject & { spec?: unknown } }
    }),
  )
  .filter(({ object }) => object !== null)

describe('every shipped manifest', () => {
  test('is of a kind that is known here', () => {
    expect(objects.length).toBeGreaterThan(40)
    const unknown = objects.filter(({ object }) => !registryKinds.has(`${object.apiVersion}/${object.kind}`))
    expect(unknown.map(({ file, object }) => `${file}: ${object.apiVersion} ${object.kind}`)).toEqual([])
  })

  test('fits its JSON schema, where it is of one of our kinds', () => {
    const own = objects.filter(({ object }) => existsSync(schemaPath(object)))
    expect(own.length).toBeGreaterThan(1)
    for (const { file, object } of own) expect([file, schemaErrors(object)]).toEqual([file, []])
  })

  test('is read by an API server without an unknown field, where it is of one of its own kinds', () => {
    const builtIn = objects.filter(({ object }) => builtInSchemaProblems(object) !== undefined)
    expect(new Set(builtIn.map(({ object }) => object.kind)).size).toBeGreaterThan(12)
    for (const { file, object } of builtIn) expect([file, builtInSchemaProblems(object)]).toEqual([file, []])
  })

  test('of our kinds is one that admission allows, without a warning but for the floating alias of a demo', () => {
    for (const { file, object } of objects) {
      const verdict = judge({ object, operation: 'CREATE', rules: 'all', now: 0 })
      expect([file, verdict.errors]).toEqual([file, []])
      expect([file, verdict.warnings.filter(({ rule }) => rule !== 'JN-207')]).toEqual([file, []])
    }
  })
})

test('the example of a RolloutPolicy has the gates that it speaks of, and the one that is commented out can be put in', () => {
  const text = readFileSync(join(root, 'examples/rolloutpolicy.yaml'), 'utf8')
  const read = (yaml: string) => parseAllDocuments(yaml).map((one) => one.toJS() as KubeObject & { spec: Spec })[0]
  interface Spec {
    readonly gates: Readonly<Record<string, unknown>>
    readonly onFailure: string
  }
  expect(text).toContain(
    'new nodes or pods on them do not come up, the rollout stops and returns to the last good image',
  )
  expect(read(text)?.spec).toMatchObject({
    gates: { nodeReadyTimeout: '10m', podReadyTimeout: '10m' },
    onFailure: 'Rollback',
  })
  const whole = read(text.replaceAll(/^( +)# ( *\w+:.*)$/gm, '$1$2'))
  expect(whole?.spec.gates['prometheus']).toMatchObject({ operator: 'LessThan', threshold: '0.01' })
  if (whole === undefined) throw new Error('there is no example')
  expect(schemaErrors(whole)).toEqual([])
  expect(judge({ object: whole, operation: 'CREATE', rules: 'all', now: 0 })).toMatchObject({
    errors: [],
    warnings: [],
  })
})

describe('the JSON schemas', () => {
  const pool = objects.find(({ object }) => object.kind === 'NodePool')?.object

  test('there is one for every version of every kind, in the layout of kubeconform', () => {
    const wanted = customResourceDefinitions.flatMap(({ spec }) =>
      spec.versions.map(({ name }) => `${spec.group}/${spec.names.kind.toLowerCase()}_${name}.json`),
    )
    const present = filesBelow(join(root, 'schemas')).map((file) => relative(join(root, 'schemas'), file))
    expect(present.sort()).toEqual(wanted.sort())
  })

  const taken = apiCases.filter(({ want }) => want === 'accepted')
  test.each(taken.map((one) => [caseTitle(one), one] as const))('take what the API server takes: %s', (_title, one) => {
    const object = caseObject(one.kind, { ...one.old, ...one.change }) as unknown as KubeObject
    expect(schemaErrors(JSON.parse(JSON.stringify(object)) as KubeObject)).toEqual([])
  })

  test('refuse what the API server refuses, unknown fields included', () => {
    const spoilt = { ...pool, spec: { ...(pool?.spec as object), weight: 0, wieght: 1 } } as unknown as KubeObject
    expect(schemaErrors(spoilt)).toEqual(['/spec must NOT have additional properties', '/spec/weight must be >= 1'])
    expect(
      schemaErrors({ ...pool, apiVersion: 'karpenter.sh/v1beta1' } as KubeObject, 'karpenter.sh/nodepool_v1'),
    ).toEqual(['/apiVersion must be equal to constant'])
  })
})

test('what the charts carry is what the components have', () => {
  const pairs = [
    ['charts/joinery/files/alerts.yaml', 'components/alerts/prometheusrule.yaml'],
    ['charts/joinery/files/deletion-guard.yaml', 'components/deletion-guard/deletion-guard.yaml'],
    ['charts/joinery/files/joinery-nodes.json', 'dashboards/joinery-nodes.json'],
    ['charts/joinery/files/policies.yaml', 'components/policies/policies.yaml'],
  ] as const
  for (const [copy, original] of pairs) {
    expect(readFileSync(join(root, copy), 'utf8')).toBe(readFileSync(join(root, original), 'utf8'))
  }
})

test('the dashboard goes to Grafana by Kustomize under the name and label that the chart gives it', () => {
  const component = objects.find(({ file }) => file === 'dashboards/kustomization.yaml')?.object
  expect(component).toMatchObject({
    configMapGenerator: [
      {
        name: 'joinery-dashboard',
        namespace: 'kube-system',
        files: ['joinery-nodes.json'],
        options: { disableNameSuffixHash: true, labels: { grafana_dashboard: '1' } },
      },
    ],
  })
})

test('every file that a kustomization names is there', () => {
  const listing = objects.filter(({ object }) => object.kind === 'Kustomization' || object.kind === 'Component')
  for (const { file, object } of listing) {
    if (!object.apiVersion.startsWith('kustomize.config.k8s.io/')) continue
    const { resources = [], components = [] } = object as unknown as { resources?: string[]; components?: string[] }
    for (const name of [...resources, ...components]) {
      expect([file, name, existsSync(join(root, dirname(file), name))]).toEqual([file, name, true])
    }
  }
})

describe('the base', () => {
  interface Workload extends KubeObject {
    spec: {
      replicas: number
      template: {
        metadata: { labels: Record<string, string> }
        spec: { containers: { name: string; securityContext: object }[]; topologySpreadConstraints: object[] }
      }
    }
  }
  interface Webhooks extends KubeObject {
    webhooks: { failurePolicy: string; rules: { operations: string[]; resources: string[] }[] }[]
  }
  const inBase = objects.filter(({ file }) => file === 'base/joinery.yaml').map(({ object }) => object)
  const of = (kind: string) => inBase.filter((object) => object.kind === kind)
  const workloads = of('Deployment') as unknown as Workload[]

  test('runs controller and webhook twice, spread, with nothing allowed and a read-only root', () => {
    expect(workloads.map(({ metadata }) => metadata.name)).toEqual(['joinery', 'joinery-webhook'])
    for (const { spec } of workloads) {
      expect(spec.replicas).toBe(2)
      expect(spec.template.spec.topologySpreadConstraints.length).toBeGreaterThan(0)
      for (const { securityContext } of spec.template.spec.containers) {
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
          seccompProfile: { type: 'RuntimeDefault' },
        })
      }
    }
    expect(of('PodDisruptionBudget')).toHaveLength(2)
  })

  test('every pod that is labelled karpenter has a container named controller, for the log commands of runbooks', () => {
    const named = workloads.filter(
      ({ spec }) => spec.template.metadata.labels['app.kubernetes.io/name'] === 'karpenter',
    )
    expect(named).toHaveLength(1)
    for (const { spec } of named) {
      expect(spec.template.spec.containers.map(({ name }) => name)).toEqual(['controller'])
    }
  })

  test('webhooks answer for our own kinds only, never for deletions or subresources, and never stand in the way', () => {
    const kinds = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']
    const webhooks = kinds.flatMap((kind) => of(kind) as unknown as Webhooks[]).flatMap(({ webhooks: list }) => list)
    expect(webhooks).toHaveLength(2)
    for (const webhook of webhooks) {
      expect(webhook).toMatchObject({
        failurePolicy: 'Ignore',
        sideEffects: 'None',
        timeoutSeconds: 3,
        matchPolicy: 'Equivalent',
      })
      for (const { operations, resources } of webhook.rules) {
        expect(operations).toEqual(['CREATE', 'UPDATE'])
        for (const resource of resources) {
          expect(['nodepools', 'nodeoverlays', 'ec2nodeclasses', 'rolloutpolicies']).toContain(resource)
        }
      }
    }
  })

  test('no role reads Secrets or ConfigMaps of the cluster, or creates any, and none has a wildcard', () => {
    interface Role extends KubeObject {
      rules: { apiGroups: string[]; resources: string[]; verbs: string[]; resourceNames?: string[] }[]
    }
    for (const kind of ['ClusterRole', 'Role']) {
      for (const { metadata, rules } of of(kind) as unknown as Role[]) {
        for (const rule of rules) {
          const text = [...rule.apiGroups, ...rule.resources, ...rule.verbs].join(' ')
          expect([metadata.name, text.includes('*')]).toEqual([metadata.name, false])
          if (kind === 'ClusterRole') expect(text).not.toMatch(/secrets|configmaps/)
          else if (rule.resources.includes('secrets')) {
            // Whoever may create Secrets here may make a token to join the cluster with: the manifests bring this one.
            expect(rule.resourceNames).toEqual(['joinery-webhook-certificates'])
            expect(of('Secret').map((secret) => secret.metadata.name)).toEqual(rule.resourceNames)
          }
        }
      }
    }
  })
})

test('the deletion guard is a policy of its own that matches deletions only', () => {
  interface Policy extends KubeObject {
    spec: { matchConstraints: { resourceRules: { operations: string[]; resources: string[] }[] } }
  }
  const policies = objects
    .filter(({ file, object }) => file.startsWith('components/deletion-guard/') && object.kind.endsWith('Policy'))
    .map(({ object }) => object as unknown as Policy)
  const rules = policies.flatMap(({ spec }) => spec.matchConstraints.resourceRules)
  expect(rules.flatMap(({ operations }) => operations)).toEqual(['DELETE', 'DELETE'])
  expect(rules.flatMap(({ resources }) => resources)).toEqual(['nodepools', 'customresourcedefinitions'])
})

function compiledAt(path: string): ValidateFunction {
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false })
  addFormats.default(ajv)
  return ajv.compile(JSON.parse(readFileSync(path, 'utf8')) as object)
}

function schemaPath({ apiVersion, kind }: KubeObject): string {
  const [group = '', version = ''] = apiVersion.split('/')
  return join(root, 'schemas', group, `${String(kind).toLowerCase()}_${version}.json`)
}

const compiled = new Map<string, ValidateFunction>()

function schemaErrors(object: KubeObject, name?: string): string[] {
  const path = name === undefined ? schemaPath(object) : join(root, 'schemas', `${name}.json`)
  const validate = compiled.get(path) ?? compiledAt(path)
  compiled.set(path, validate)
  validate(object)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`).sort()
}
