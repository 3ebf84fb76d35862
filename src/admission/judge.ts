import { customResourceDefinitions } from '../api/karpenter.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import { admit, compileVersion, type FieldError } from '../api/validation/index.ts'
import {
  parseCapacityBuffer,
  parseEC2NodeClass,
  parseNodeClaim,
  parseNodeOverlay,
  parseNodePool,
  parseRolloutPolicy,
} from '../api/validators.ts'
import { canonicalText, memberOf } from '../api/validation/json-value.ts'
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
  const stored = oldObject === undefined ? undefined : admit(resource, oldObject).object
  const admitted = admit(resource, object, stored)
  if (stored !== undefined && hasSameSpec(admitted.object, stored)) return allowed
  const errors = admitted.errors.map(toFinding)
  const unknownFields = admitted.unknownFields.map((path) => ({
    rule: 'schema',
    path,
    message: `unknown field ${JSON.stringify(path)}`.slice(0, 120),
  }))
  if (input.rules === 'crd') return verdict(errors, unknownFields)
  const context: RuleContext = { facts: input.facts ?? {}, now: input.now }
  const subject = subjectOf(admitted.object, stored)
  if (subject === undefined) return verdict(errors, unknownFields)
  const before = stored === undefined ? undefined : subjectOf(stored, undefined)
  const found = allRules.map((rule) =>
    judgeRule(rule, subject, before, context, input.severities?.[rule.id] ?? rule.severity),
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

/** Undefined for an object that does not have the shape of its kind: rules could not read it. */
function subjectOf(object: unknown, old: unknown): Subject | undefined {
  return (
    typed('NodePool', parseNodePool, object, old) ??
    typed('NodeClaim', parseNodeClaim, object, old) ??
    typed('NodeOverlay', parseNodeOverlay, object, old) ??
    typed('EC2NodeClass', parseEC2NodeClass, object, old) ??
    typed('CapacityBuffer', parseCapacityBuffer, object, old) ??
    typed('RolloutPolicy', parseRolloutPolicy, object, old)
  )
}

function typed<K extends string, T>(
  kind: K,
  parse: (value: unknown) => { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'invalid' },
  object: unknown,
  old: unknown,
): { readonly kind: K; readonly object: T; readonly old: T | undefined } | undefined {
  if (memberOf(object, 'kind') !== kind) return undefined
  const parsed = parse(object)
  if (parsed.kind === 'invalid') return undefined
  const parsedOld = old === undefined ? undefined : parse(old)
  return { kind, object: parsed.value, old: parsedOld?.kind === 'ok' ? parsedOld.value : undefined }
}

function hasSameSpec(a: unknown, b: unknown): boolean {
  return canonicalText(memberOf(a, 'spec')) === canonicalText(memberOf(b, 'spec'))
}
