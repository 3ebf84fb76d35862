import {
  type CapacityBuffer,
  customResourceDefinitions,
  type EC2NodeClass,
  type NodeClaim,
  type NodeOverlay,
  type NodePool,
  type RolloutPolicy,
} from '../api/karpenter.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import {
  admit,
  type Admitted,
  compileVersion,
  type FieldError,
  hasShape,
  metadataErrors,
} from '../api/validation/index.ts'
import { isRecord, jsonEqual, memberOf } from '../api/validation/json-value.ts'
import type { AdmissionFacts, Finding, Rule, RuleContext, Severity, Subject } from './rule.ts'
import { rules as allRules } from './rules.ts'

export interface JudgeInput {
  readonly object: KubeObject
  /** The stored object, in an update. */
  readonly oldObject?: KubeObject
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE'
  /** `crd`: only what an API server with our definitions refuses. */
  readonly rules: 'crd' | 'all'
  readonly facts?: AdmissionFacts
  /** By rule ID. */
  readonly severities?: Readonly<Record<string, Severity>>
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface Verdict {
  readonly allowed: boolean
  readonly errors: readonly Finding[]
  readonly warnings: readonly Finding[]
}

const allowed: Verdict = { allowed: true, errors: [], warnings: [] }

/**
 * Whether an object may be stored, and what is worth saying about it. An update is held responsible for what it makes worse: what
 * was wrong before only warns, and changes of metadata or status alone pass, so that finalizers and controllers are never stuck.
 */
export function judge(input: JudgeInput): Verdict {
  const { object, oldObject, operation } = input
  if (operation === 'DELETE' || object.metadata?.deletionTimestamp !== undefined) return allowed
  const resource = resourceOf(object)
  if (resource === undefined) return allowed
  const before = oldObject === undefined ? undefined : admit(resource, oldObject)
  const stored = before?.object
  const admitted = admit(resource, object, stored)
  const ofMetadata = newMetadataErrors(object, oldObject)
  if (stored !== undefined && hasSameSpec(admitted.object, stored)) return verdict(ofMetadata.map(toFinding), [])
  const errors = [...ofMetadata, ...admitted.errors].map(toFinding)
  const unknownFields = admitted.unknownFields.map((path) => ({
    rule: 'schema',
    path,
    message: `unknown field ${JSON.stringify(path)}`.slice(0, 120),
  }))
  if (input.rules === 'crd') return verdict(errors, unknownFields)
  const context: RuleContext = { facts: input.facts ?? {}, now: input.now }
  const subjectBefore = before === undefined ? undefined : subjectOf(before, undefined)
  const subject = subjectOf(admitted, subjectBefore)
  if (subject === undefined) return verdict(errors, unknownFields)
  const found = allRules.map((rule) =>
    judgeRule(rule, subject, subjectBefore, context, input.severities?.[rule.id] ?? rule.severity),
  )
  return verdict(
    [...errors, ...found.flatMap((one) => one.errors)],
    [...unknownFields, ...found.flatMap((one) => one.warnings)],
  )
}

function judgeRule(
  rule: Rule,
  subject: Subject,
  before: Subject | undefined,
  context: RuleContext,
  severity: Severity,
): Omit<Verdict, 'allowed'> {
  if (severity === 'off') return { errors: [], warnings: [] }
  const findings = rule
    .check(subject, context)
    .map(({ path, message }): Finding => ({ rule: rule.id, path, message, fix: rule.fix }))
  if (severity === 'warn') return { errors: [], warnings: findings.map(shortened) }
  const known = new Set(
    before === undefined || findings.length === 0 ? [] : rule.check(before, context).map(({ message }) => message),
  )
  return {
    errors: findings.filter(({ message }) => !known.has(message)),
    warnings: findings.filter(({ message }) => known.has(message)).map(shortened),
  }
}

const warningLengthMax = 120

function shortened(finding: Finding): Finding {
  const { message } = finding
  return message.length <= warningLengthMax
    ? finding
    : { ...finding, message: `${message.slice(0, warningLengthMax - 1)}…` }
}

function verdict(errors: readonly Finding[], warnings: readonly Finding[]): Verdict {
  return { allowed: errors.length === 0, errors, warnings }
}

/** An object whose name or labels were wrong before can still be written, if an API server lets it. */
function newMetadataErrors(object: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old !== undefined && jsonEqual(object.metadata, old.metadata)) return []
  const errors = metadataErrors(object)
  if (old === undefined || errors.length === 0) return errors
  const known = new Set(metadataErrors(old).map(({ message }) => message))
  return errors.filter(({ message }) => !known.has(message))
}

function toFinding({ source, path, body }: FieldError): Finding {
  return { rule: source, path, message: body }
}

function resourceOf(object: KubeObject): ReturnType<typeof compileVersion> {
  const [group = '', version = ''] = String(object.apiVersion).split('/')
  const definition = customResourceDefinitions.find(
    ({ spec }) => spec.group === group && spec.names.kind === object.kind,
  )
  return definition === undefined ? undefined : compileVersion(definition, version)
}

/**
 * What rules read: an object whose shape the schema has vouched for. Undefined for one without; bounds and patterns that it breaks
 * do not matter here, so that every problem is reported at once.
 */
function subjectOf({ object, errors }: Admitted, old: Subject | undefined): Subject | undefined {
  if (!hasShape(errors) || !isRecord(object) || !isRecord(object['metadata'])) return undefined
  const value: unknown = object
  const kind = object['kind']
  switch (kind) {
    case 'NodePool':
      return { kind, object: value as NodePool, old: old?.kind === kind ? old.object : undefined }
    case 'NodeClaim':
      return { kind, object: value as NodeClaim, old: old?.kind === kind ? old.object : undefined }
    case 'NodeOverlay':
      return { kind, object: value as NodeOverlay, old: old?.kind === kind ? old.object : undefined }
    case 'EC2NodeClass':
      return { kind, object: value as EC2NodeClass, old: old?.kind === kind ? old.object : undefined }
    case 'CapacityBuffer':
      return { kind, object: value as CapacityBuffer, old: old?.kind === kind ? old.object : undefined }
    case 'RolloutPolicy':
      return { kind, object: value as RolloutPolicy, old: old?.kind === kind ? old.object : undefined }
    default:
      return undefined
  }
}

function hasSameSpec(a: unknown, b: unknown): boolean {
  return jsonEqual(memberOf(a, 'spec') ?? null, memberOf(b, 'spec') ?? null)
}
