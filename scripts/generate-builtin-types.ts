/**
 * Derives the field tables of Kubernetes' built-in kinds from the models of @kubernetes/client-node: which fields a type has, of which
 * type and which are required. The embedded API server needs them for pruning, patches and apply; importing the models themselves would
 * cost 290 ms and 90 MB at start. With `--check` nothing is written, and the exit code is 1 when the file is stale.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const roots = [
  'V1Pod V1Node V1Namespace V1Service CoreV1Event V1ConfigMap V1Secret V1ServiceAccount V1PersistentVolume V1PersistentVolumeClaim',
  'V1PodTemplate V1ReplicationController V1Endpoints V1LimitRange V1ResourceQuota V1Binding',
  'V1Deployment V1ReplicaSet V1StatefulSet V1DaemonSet V1ControllerRevision V1Job V1CronJob V1PodDisruptionBudget V1Eviction',
  'V1StorageClass V1CSINode V1CSIDriver V1VolumeAttachment V1CSIStorageCapacity V1PriorityClass V1Lease EventsV1Event V1EndpointSlice',
  'V1Role V1RoleBinding V1ClusterRole V1ClusterRoleBinding V1ValidatingWebhookConfiguration V1MutatingWebhookConfiguration',
  'V1ValidatingAdmissionPolicy V1ValidatingAdmissionPolicyBinding V1CustomResourceDefinition V1Scale V1HorizontalPodAutoscaler V2HorizontalPodAutoscaler',
  'V1RuntimeClass V1Ingress V1IngressClass V1NetworkPolicy V1TokenReview V1SelfSubjectReview V1SelfSubjectAccessReview',
  'V1SubjectAccessReview V1LocalSubjectAccessReview V1SelfSubjectRulesReview ResourceV1ResourceClaim V1ResourceClaimTemplate V1DeviceClass',
  'V1ResourceSlice V1DeleteOptions V1Status V1APIService V1FlowSchema V1PriorityLevelConfiguration V1CertificateSigningRequest',
].flatMap((line) => line.split(' '))

/** The models type quantities as plain strings; on the wire numbers are accepted too and come back as text. */
const quantityFields: Record<string, readonly string[]> = {
  V1ResourceRequirements: ['limits', 'requests'],
  V1VolumeResourceRequirements: ['limits', 'requests'],
  V1NodeStatus: ['capacity', 'allocatable'],
  V1ContainerStatus: ['allocatedResources'],
  V1PodSpec: ['overhead'],
  V1PersistentVolumeSpec: ['capacity'],
  V1PersistentVolumeClaimStatus: ['capacity', 'allocatedResources'],
  V1EmptyDirVolumeSource: ['sizeLimit'],
  V1ResourceFieldSelector: ['divisor'],
  V1LimitRangeItem: ['_default', 'defaultRequest', 'max', 'maxLimitRequestRatio', 'min'],
  V1ResourceQuotaSpec: ['hard'],
  V1ResourceQuotaStatus: ['hard', 'used'],
  V1Overhead: ['podFixed'],
  V1CSIStorageCapacity: ['capacity', 'maximumVolumeSize'],
  V2MetricTarget: ['averageValue', 'value'],
  V2MetricValueStatus: ['averageValue', 'value'],
}

const models = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen', 'models')
const known = new Set(
  readdirSync(models)
    .filter((file) => file.endsWith('.d.ts'))
    .map((file) => file.slice(0, -'.d.ts'.length)),
)

interface Field {
  readonly name: string
  readonly code: string
  readonly required: boolean
}

const types = new Map<string, readonly Field[]>()
const queue = [...roots]
for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
  if (types.has(name)) continue
  const fields = readModel(name)
  types.set(name, fields)
  for (const field of fields) {
    const ref = field.code.replaceAll('[]', '').replaceAll('{}', '')
    if (known.has(ref)) queue.push(ref)
  }
}

function readModel(name: string): readonly Field[] {
  const declarations = readFileSync(join(models, `${name}.d.ts`), 'utf8')
  const script = readFileSync(join(models, `${name}.js`), 'utf8')
  const attributes = new Map<string, { base: string; type: string; format: string }>()
  for (const [, own, base, type, format] of script.matchAll(
    /"name": "([^"]+)",\s*"baseName": "([^"]+)",\s*"type": "([^"]+)",\s*"format": "([^"]*)"/g,
  )) {
    attributes.set(own ?? '', { base: base ?? '', type: type ?? '', format: format ?? '' })
  }
  const fields: Field[] = []
  for (const [, own, optional] of declarations.matchAll(/'([^']+)'(\?)?: /g)) {
    const attribute = attributes.get(own ?? '')
    if (attribute === undefined) continue
    const quantity = quantityFields[name]?.includes(own ?? '') === true
    const code = quantity ? attribute.type.replace(/string(?!\])/, 'quantity') : attribute.type
    fields.push({
      name: attribute.base,
      code: toCode(code, attribute.format),
      required: optional === undefined,
    })
  }
  return fields
}

function toCode(type: string, format: string): string {
  const list = /^Array<(.*)>$/.exec(type)
  if (list?.[1] !== undefined) return `[]${toCode(list[1], format)}`
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)
  if (map?.[1] !== undefined) return `{}${toCode(map[1], format)}`
  switch (type) {
    case 'IntOrString':
      return 'intOrString'
    case 'V1MicroTime':
      return 'microTime'
    case 'Date':
      return 'time'
    case 'number':
      return format === '' ? 'double' : format
    case 'string':
      return format === 'byte' ? 'byte' : 'string'
    case 'any':
    case 'object':
      return 'any'
    default:
      return type
  }
}

const sorted = [...types].sort(([a], [b]) => (a < b ? -1 : 1))
const head = '// Generated by scripts/generate-builtin-types.ts from @kubernetes/client-node. Do not edit.\n'
const quote = (text: string): string => JSON.stringify(text)
const file = 'src/embedded/apiserver/types/builtin-types.gen.ts'
const path = join(import.meta.dirname, '..', file)
const wanted = `${head}/** For each type its fields as \`name:code\`, \`name!:code\` when required; \`[]\` is a list of, \`{}\` a map of. */\nexport const builtinTypes: Readonly<Record<string, string>> = {\n${sorted
  .map(
    ([name, fields]) =>
      `  ${name}: ${quote(fields.map((f) => `${f.name}${f.required ? '!' : ''}:${f.code}`).join(' '))},`,
  )
  .join('\n')}\n}\n`
if (!process.argv.includes('--check')) writeFileSync(path, wanted)
else if (readFileSync(path, 'utf8') !== wanted) {
  console.error(`stale: ${file} (npm run generate writes it anew)`)
  process.exitCode = 1
}
