import { field, type FieldError } from '../errors.ts'
import { arrayAt, numberAt, objectAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { column, countColumn, textColumn } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, type BuiltinKind, durationText, nameColumn, withStatus } from './kind.ts'
import { pathSegmentProblem } from './names.ts'
import { withDefaults } from './pod-defaults.ts'

const flowControl = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  namespaced: false,
  tracksGeneration: true,
  subresources: ['status'],
} as const

/**
 * What extends the API server itself: further servers behind it, how it shares itself out, and certificates. They come along in the
 * manifests of add-ons, and are kept: nobody is asked behind an APIService, no request waits, and nothing is signed.
 */
export const clusterKinds: readonly BuiltinKind[] = [
  {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    kind: 'APIService',
    plural: 'apiservices',
    model: 'V1APIService',
    namespaced: false,
    categories: ['api-extensions'],
    subresources: ['status'],
    columns: [nameColumn, column('Service', serviceText), column('Available', availabilityText), ageColumn],
    strategy: {
      validateName: pathSegmentProblem,
      validate: apiServiceErrors,
      applyDefaults: withServicePort,
      prepareCreate: available,
    },
  },
  {
    ...flowControl,
    kind: 'FlowSchema',
    plural: 'flowschemas',
    model: 'V1FlowSchema',
    columns: [
      nameColumn,
      textColumn('PriorityLevel', 'spec.priorityLevelConfiguration.name'),
      countColumn('MatchingPrecedence', 'spec.matchingPrecedence'),
      column('DistinguisherMethod', (object) => textAt(object, 'spec', 'distinguisherMethod', 'type') ?? '<none>'),
      ageColumn,
      column('MissingPL', (object) => textAt(conditionAt(object, 'Dangling'), 'status') ?? '?'),
    ],
    strategy: {
      validateName: pathSegmentProblem,
      validate: flowSchemaErrors,
      applyDefaults: withPrecedence,
    },
  },
  {
    ...flowControl,
    kind: 'PriorityLevelConfiguration',
    plural: 'prioritylevelconfigurations',
    model: 'V1PriorityLevelConfiguration',
    columns: [
      nameColumn,
      textColumn('Type', 'spec.type'),
      limitedColumn('NominalConcurrencyShares', 'nominalConcurrencyShares'),
      limitedColumn('Queues', 'limitResponse', 'queuing', 'queues'),
      limitedColumn('HandSize', 'limitResponse', 'queuing', 'handSize'),
      limitedColumn('QueueLengthLimit', 'limitResponse', 'queuing', 'queueLengthLimit'),
      ageColumn,
    ],
    strategy: { validateName: pathSegmentProblem, validate: priorityLevelErrors },
  },
  {
    group: 'certificates.k8s.io',
    version: 'v1',
    kind: 'CertificateSigningRequest',
    plural: 'certificatesigningrequests',
    model: 'V1CertificateSigningRequest',
    namespaced: false,
    shortNames: ['csr'],
    subresources: ['status'],
    selectable: ['spec.signerName'],
    columns: [
      nameColumn,
      ageColumn,
      textColumn('SignerName', 'spec.signerName'),
      textColumn('Requestor', 'spec.username'),
      column('RequestedDuration', (object) => {
        const seconds = numberAt(object, 'spec', 'expirationSeconds')
        return seconds === undefined ? '<none>' : durationText(seconds * 1000)
      }),
      column('Condition', signingText),
    ],
    strategy: { validateName: pathSegmentProblem, validate: signingErrors },
  },
]

const defaultPrecedence = 1_000
const defaultServicePort = 443
const groupPriorityMax = 20_000
const versionPriorityMax = 1_000

/** Whoever waits for the API of an add-on would wait for ever, since its pods only seem to run. */
function available(object: IncomingObject): IncomingObject {
  const isLocal = objectAt(object, 'spec', 'service') === undefined
  const condition = {
    type: 'Available',
    status: 'True',
    lastTransitionTime: textAt(object, 'metadata', 'creationTimestamp'),
    reason: isLocal ? 'Local' : 'Passed',
    message: isLocal ? 'Local APIServices are always available' : 'all checks passed',
  }
  return withStatus(object, { conditions: [condition] })
}

function withServicePort(object: IncomingObject): IncomingObject {
  const service = objectAt(object, 'spec', 'service')
  return service === undefined
    ? object
    : withAt(object, ['spec', 'service'], withDefaults(service, { port: defaultServicePort }))
}

function withPrecedence(object: IncomingObject): IncomingObject {
  const spec = withDefaults(objectAt(object, 'spec') ?? {}, { matchingPrecedence: defaultPrecedence })
  return withAt(object, ['spec'], spec)
}

function apiServiceErrors(object: IncomingObject): readonly FieldError[] {
  const name = textAt(object, 'metadata', 'name') ?? ''
  const spec = objectAt(object, 'spec') ?? {}
  const errors: FieldError[] = []
  const expected = `${textAt(spec, 'version') ?? ''}.${textAt(spec, 'group') ?? ''}`
  if (name !== expected) {
    errors.push(field.invalid('metadata.name', name, `must be \`spec.version+"."+spec.group\`: "${expected}"`))
  }
  const priorities = [
    ['groupPriorityMinimum', groupPriorityMax],
    ['versionPriority', versionPriorityMax],
  ] as const
  for (const [key, most] of priorities) {
    const value = numberAt(spec, key) ?? 0
    if (value <= 0 || value > most) {
      errors.push(field.invalid(`spec.${key}`, value, `must be positive and less than ${most}`))
    }
  }
  const service = objectAt(spec, 'service')
  const hasBundle = (textAt(spec, 'caBundle') ?? '') !== ''
  const isInsecure = spec['insecureSkipTLSVerify'] === true
  if (service === undefined) {
    const bytes = Buffer.from(textAt(spec, 'caBundle') ?? '', 'base64').length
    if (hasBundle) {
      errors.push(field.invalid('spec.caBundle', `${bytes} bytes`, 'local APIServices may not have a caBundle'))
    }
    if (isInsecure) {
      const text = 'local APIServices may not have insecureSkipTLSVerify'
      errors.push(field.invalid('spec.insecureSkipTLSVerify', true, text))
    }
    return errors
  }
  for (const key of ['namespace', 'name']) {
    if ((textAt(service, key) ?? '') === '') errors.push(field.required(`spec.service.${key}`))
  }
  if (isInsecure && hasBundle) {
    errors.push(field.invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present'))
  }
  return errors
}

function flowSchemaErrors(object: IncomingObject): readonly FieldError[] {
  const errors: FieldError[] = []
  if ((textAt(object, 'spec', 'priorityLevelConfiguration', 'name') ?? '') === '') {
    errors.push(field.required('spec.priorityLevelConfiguration.name', 'must reference a priority level'))
  }
  for (const [index, rule] of arrayAt(object, 'spec', 'rules').entries()) {
    const path = `spec.rules[${index}]`
    if (arrayAt(rule, 'subjects').length === 0) {
      errors.push(field.required(`${path}.subjects`, 'subjects must contain at least one value'))
    }
    if (arrayAt(rule, 'resourceRules').length === 0 && arrayAt(rule, 'nonResourceRules').length === 0) {
      const text = 'at least one of resourceRules and nonResourceRules has to be non-empty'
      errors.push(field.required(path, text))
    }
  }
  return errors
}

function priorityLevelErrors(object: IncomingObject): readonly FieldError[] {
  const type = textAt(object, 'spec', 'type') ?? ''
  const types = ['Exempt', 'Limited']
  if (!types.includes(type)) return [field.notSupported('spec.type', type, types)]
  const response = objectAt(object, 'spec', 'limited', 'limitResponse')
  if (textAt(response, 'type') !== 'Queue' || objectAt(response, 'queuing') !== undefined) return []
  const text = 'must not be empty if limited.limitResponse.type is Limited'
  return [field.required('spec.limited.limitResponse.queuing', text)]
}

const requestBlock = '-----BEGIN CERTIFICATE REQUEST-----'

function signingErrors(object: IncomingObject): readonly FieldError[] {
  const errors: FieldError[] = []
  const request = textAt(object, 'spec', 'request') ?? ''
  if (!Buffer.from(request, 'base64').toString('latin1').trimStart().startsWith(requestBlock)) {
    errors.push(field.invalid('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST'))
  }
  if (arrayAt(object, 'spec', 'usages').length === 0) errors.push(field.required('spec.usages'))
  const signer = textAt(object, 'spec', 'signerName') ?? ''
  if (signer === '') errors.push(field.required('spec.signerName'))
  else if (!/^[^/]+\.[^/]+\/.+$/.test(signer)) {
    const text = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
    errors.push(field.invalid('spec.signerName', signer, text))
  }
  return errors
}

function conditionAt(object: StoredObject, type: string): unknown {
  return arrayAt(object, 'status', 'conditions').find((condition) => textAt(condition, 'type') === type)
}

function serviceText(object: StoredObject): string {
  const name = textAt(object, 'spec', 'service', 'name')
  return name === undefined ? 'Local' : `${textAt(object, 'spec', 'service', 'namespace') ?? ''}/${name}`
}

function availabilityText(object: StoredObject): string {
  const found = conditionAt(object, 'Available')
  const [status, reason] = [textAt(found, 'status') ?? 'Unknown', textAt(found, 'reason') ?? '']
  return status === 'True' || reason === '' ? status : `${status} (${reason})`
}

/** A column of what limits a priority level, which those that are exempt do not have. */
function limitedColumn(name: string, ...path: readonly string[]): TableColumn {
  return column(name, (object) => {
    const value = numberAt(object, 'spec', 'limited', ...path)
    return value === undefined ? '<none>' : String(value)
  })
}

/** What has been decided about a request, in order. */
function signingText(object: StoredObject): string {
  const types = ['Approved', 'Denied', 'Failed']
  const told = types.filter((type) => conditionAt(object, type) !== undefined)
  if (told.length === 0) return 'Pending'
  const isIssued = told.includes('Approved') && (textAt(object, 'status', 'certificate') ?? '') !== ''
  return [...told, ...(isIssued ? ['Issued'] : [])].join(',')
}
