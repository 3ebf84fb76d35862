import { arrayAt, isObject, objectAt, withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import { column } from './columns.ts'
import { crdErrors, defaultCrd } from './crd-kind.ts'
import type { BuiltinKind } from './kind.ts'
import { ageColumn, nameColumn } from './kind.ts'
import { withDefaults } from './pod-defaults.ts'

const admission = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  namespaced: false,
  tracksGeneration: true,
} as const
const webhookColumns = [nameColumn, column('Webhooks', (object) => arrayAt(object, 'webhooks').length), ageColumn]

export const admissionKinds: readonly BuiltinKind[] = [
  {
    ...admission,
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    model: 'V1ValidatingWebhookConfiguration',
    columns: webhookColumns,
    strategy: { applyDefaults: (object) => defaultWebhooks(object, {}) },
  },
  {
    ...admission,
    kind: 'MutatingWebhookConfiguration',
    plural: 'mutatingwebhookconfigurations',
    model: 'V1MutatingWebhookConfiguration',
    columns: webhookColumns,
    strategy: { applyDefaults: (object) => defaultWebhooks(object, { reinvocationPolicy: 'Never' }) },
  },
  {
    ...admission,
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    model: 'V1ValidatingAdmissionPolicy',
    subresources: ['status'],
    columns: [
      nameColumn,
      column('Validations', (object) => arrayAt(object, 'spec', 'validations').length),
      column('ParamKind', (object) => paramKind(objectAt(object, 'spec', 'paramKind'))),
      ageColumn,
    ],
    strategy: {
      applyDefaults: (object) =>
        withAt(object, ['spec'], withDefaults(objectAt(object, 'spec') ?? {}, { failurePolicy: 'Fail' })),
    },
  },
  {
    ...admission,
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    model: 'V1ValidatingAdmissionPolicyBinding',
  },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    model: 'V1CustomResourceDefinition',
    namespaced: false,
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    subresources: ['status'],
    tracksGeneration: true,
    columns: [nameColumn, column('Created At', (object) => object.metadata.creationTimestamp)],
    strategy: { applyDefaults: defaultCrd, validate: crdErrors },
  },
]

function defaultWebhooks(object: IncomingObject, more: Readonly<Record<string, unknown>>): IncomingObject {
  const webhooks = arrayAt(object, 'webhooks').map((webhook) => {
    if (!isObject(webhook)) return webhook
    const rules = arrayAt(webhook, 'rules').map((rule) => (isObject(rule) ? withDefaults(rule, { scope: '*' }) : rule))
    const service = objectAt(webhook, 'clientConfig', 'service')
    const complete = withDefaults(webhook, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...more,
    })
    const withRules = rules.length === 0 ? complete : { ...complete, rules }
    return service === undefined
      ? withRules
      : withAt(withRules, ['clientConfig', 'service'], withDefaults(service, { port: 443 }))
  })
  return webhooks.length === 0 ? object : withAt(object, ['webhooks'], webhooks)
}

function paramKind(kind: Readonly<Record<string, unknown>> | undefined): string {
  return kind === undefined ? '<unset>' : `${String(kind['apiVersion'])}/${String(kind['kind'])}`
}
