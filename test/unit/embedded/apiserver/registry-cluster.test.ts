import { expect, test } from 'vitest'
import { aWorld, failureOf, resource } from './world.ts'

const apiServices = resource('apiregistration.k8s.io', 'v1', 'APIService', 'apiservices')
const flowSchemas = resource('flowcontrol.apiserver.k8s.io', 'v1', 'FlowSchema', 'flowschemas')
const levels = resource(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'PriorityLevelConfiguration',
  'prioritylevelconfigurations',
)
const requests = resource('certificates.k8s.io', 'v1', 'CertificateSigningRequest', 'certificatesigningrequests')

const external = {
  group: 'external.metrics.k8s.io',
  version: 'v1beta1',
  groupPriorityMinimum: 100,
  versionPriority: 100,
  service: { namespace: 'keda', name: 'keda' },
}

test('the API of an add-on counts as available, since nothing stands behind it that could become so', async () => {
  const { client } = aWorld()
  const metadata = { name: 'v1beta1.external.metrics.k8s.io' }
  const object = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec: external }
  expect(await client.create(apiServices, object)).toMatchObject({
    spec: { service: { port: 443 } },
    status: { conditions: [{ type: 'Available', status: 'True', reason: 'Passed' }] },
  })
})

// In the words of kube-apiserver 1.36.
test.each([
  [
    apiServices,
    'bad',
    { ...external, groupPriorityMinimum: 0, versionPriority: 1_001, service: undefined, caBundle: 'eHg=' },
    [
      'metadata.name: Invalid value: "bad": must be `spec.version+"."+spec.group`: "v1beta1.external.metrics.k8s.io"',
      'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      'spec.caBundle: Invalid value: "2 bytes": local APIServices may not have a caBundle',
    ],
  ],
  [
    apiServices,
    'v1beta1.external.metrics.k8s.io',
    { ...external, service: { namespace: '', name: '' } },
    ['spec.service.namespace: Required value', 'spec.service.name: Required value'],
  ],
  [
    flowSchemas,
    'bad',
    { priorityLevelConfiguration: { name: '' }, rules: [{ subjects: [] }] },
    [
      'spec.priorityLevelConfiguration.name: Required value: must reference a priority level',
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  ],
  [
    levels,
    'plain',
    { type: 'Limited', limited: { limitResponse: { type: 'Queue' } } },
    ['spec.limited.limitResponse.queuing: Required value: must not be empty if limited.limitResponse.type is Limited'],
  ],
  [levels, 'bad', { type: 'Wrong' }, ['spec.type: Unsupported value: "Wrong": supported values: "Exempt", "Limited"']],
  [
    requests,
    'bad',
    { request: 'eHg=', signerName: 'foo', usages: [] },
    [
      'spec.request: Invalid value: "eHg=": PEM block type must be CERTIFICATE REQUEST',
      'spec.usages: Required value',
      'spec.signerName: Invalid value: "foo": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ],
  ],
])('mistakes are refused: %o %s', async (kind, name, spec, errors) => {
  const { client } = aWorld()
  const object = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { name }, spec }
  const told = errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`
  expect(await failureOf(client.create(kind, object))).toBe(
    `Invalid: ${kind.kind}.${kind.group} "${name}" is invalid: ${told}`,
  )
})
