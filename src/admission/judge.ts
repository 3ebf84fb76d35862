import { isRecord, jsonEqual, memberOf } from '../api/json.ts'
import type { CapacityBuffer, EC2NodeClass, NodeClaim, NodeOverlay, NodePool, RolloutPolicy } from '../api/karpenter.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import {
  admit,
  type Admitted,
  blocksRules,
  type CompiledCustomResource,
  compiledResourceOf,
  type FieldError,
  hasShape,
  metadataErrors,
  metadataTypeErrors,
  rulesNotChecked,
  unknownMetadata,
} from '../api/validation/index.ts'
import { shortText } from '../model/short-text.ts'
import { newProblems } from './new-problems.ts'
import type { AdmissionFacts, Finding, Problem, Rule, RuleContext, Severity, Subject } from './rule.ts'
import { rules as allRules } from './rules.ts'
import { decidingPart, knownSound, rememberSound } from './sound-objects.ts'
import { warningLengthMax } from './warning-text.ts'

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
  /** Rules that broke down over the object, which is a mistake of ours; each is among the warnings, too. Absent where none did. */
  readonly failures?: readonly RuleFailure[]
}

interface RuleFailure {
  readonly rule: string
  readonly error: unknown
}

const allowed: Verdict = { allowed: true, errors: [], warnings: [] }

/**
 * Whether an object may be stored, and what is worth saying about it. An update is held responsible for what it makes worse: what
 * was wrong before only warns, and changes of metadata or status alone pass, so that finalizers and controllers are never stuck.
 */
export function judge(input: JudgeInput): Verdict {
  const { object, oldObject, operation } = input
  if (operation === 'DELETE' || (operation === 'UPDATE' && isBeingDeleted(oldObject ?? object))) return allowed
  const resource = compiledResourceOf(object)
  if (resource === undefined) return allowed
  const judged = Object.hasOwn(object, 'status') ? { ...input, object: withoutStatus(object) } : input
  // What an API server sends has passed its own look at this, and updates of it are much the most frequent thing to judge.
  const isStored = oldObject !== undefined && object.metadata?.uid !== undefined
  const unknown = isStored ? allowed.warnings : unknownElsewhere(object, resource)
  const said = oldObject === undefined ? judgeCreation(judged, resource) : judgeUpdate(judged, resource, oldObject)
  return unknown.length === 0 ? said : merged(said, verdict([], unknown))
}

/** Who writes an object has no say about its status, which a server drops unread: manifests that were read from a cluster have one. */
function withoutStatus(object: KubeObject): KubeObject {
  const { status: _dropped, ...rest } = object as KubeObject & { readonly status?: unknown }
  return rest
}

/** Fields of metadata and status that a server warns of before it drops them. */
function unknownElsewhere(object: KubeObject, resource: CompiledCustomResource): readonly Finding[] {
  const names = isRecord(object.metadata) ? unknownMetadata(object.metadata) : nothingFound.unknownFields
  const status = memberOf(object, 'status')
  if (names.length === 0 && status === undefined) return allowed.warnings
  const ofStatus = status === undefined ? [] : resource.prune({ status }).dropped
  return [...names.map((name) => `metadata.${name}`), ...ofStatus].map(unknownField)
}

/** Only the API server sets it, so that what a manifest of a new object says means nothing; null is the same as none. */
function isBeingDeleted({ metadata }: KubeObject): boolean {
  const deletionTimestamp: unknown = metadata?.deletionTimestamp
  return deletionTimestamp !== undefined && deletionTimestamp !== null
}

function judgeCreation(input: JudgeInput, resource: CompiledCustomResource): Verdict {
  const { object } = input
  const known = knownSound(resource, object)
  if (known !== undefined && metadataTypeErrors(object.metadata).length === 0) {
    return withRules(input, rulesOnWorld, known)
  }
  const part = decidingPart(object)
  const admitted = admit(resource, part ?? object)
  const subject = subjectOf(admitted, undefined)
  const alone = merged(
    bySchema(admitted, newMetadataErrors(object, undefined)),
    withRules(input, rulesOnObject, subject),
  )
  if (part !== undefined && subject !== undefined && isSilent(alone) && asksAll(input)) {
    rememberSound(resource, part, subject)
  }
  return merged(alone, withRules(input, rulesOnWorld, subject))
}

function judgeUpdate(input: JudgeInput, resource: CompiledCustomResource, oldObject: KubeObject): Verdict {
  const { object } = input
  const ofMetadata = newMetadataErrors(object, oldObject)
  // Much the most frequent: what syncing tools ask again and again, and what controllers write.
  if (hasSameSpec(object, oldObject)) return bySchema(nothingFound, ofMetadata)
  const stored = admit(resource, withoutStatus(oldObject))
  const admitted = admit(resource, object, stored.object)
  if (hasSameSpec(admitted.object, stored.object)) {
    return bySchema({ errors: [], unknownFields: admitted.unknownFields }, ofMetadata)
  }
  const before = subjectOf(stored, undefined)
  const said = bySchema(admitted, ofMetadata)
  if (before !== undefined) return merged(said, withRules(input, allRules, subjectOf(admitted, before), before))
  // What an update leaves as it is stored, misshapen, is no error of the update; rules would stumble over it all the same.
  const { errors } = admit(resource, object)
  // Nobody knows what rules would have found in what is stored, so that they deny nothing.
  return merged(said, withRules(input, allRules, subjectOf({ ...admitted, errors }, before), 'unreadable'))
}

const nothingFound = { errors: [], unknownFields: [] }

const rulesOnObject = allRules.filter(({ looksAt }) => looksAt === 'object')
const rulesOnWorld = allRules.filter(({ looksAt }) => looksAt === 'world')

/** Whether silence means that no rule about the object has anything to say. */
function asksAll({ rules, severities = {} }: JudgeInput): boolean {
  return rules === 'all' && rulesOnObject.every(({ id }) => severities[id] !== 'off')
}

function bySchema({ errors, unknownFields }: Omit<Admitted, 'object'>, ofMetadata: readonly FieldError[]): Verdict {
  // To a server metadata are a part of the object, so that what is wrong with them may keep rules from being asked.
  const isBlocked = ofMetadata.some(blocksRules) && !errors.some(blocksRules)
  const others = isBlocked ? [...errors.filter(({ source }) => source !== 'cel'), rulesNotChecked()] : errors
  return verdict([...ofMetadata, ...others].map(toFinding), unknownFields.map(unknownField))
}

function unknownField(path: string): Finding {
  return { rule: 'schema', path, message: shortText(`unknown field ${JSON.stringify(path)}`, warningLengthMax) }
}

/** What our own rules say. Of an update they deny only what was not wrong with the object `before`; nothing where that is unreadable. */
function withRules(
  { rules, facts = {}, severities, now }: JudgeInput,
  asked: readonly Rule[],
  subject: Subject | undefined,
  before?: Subject | 'unreadable',
): Verdict {
  if (rules === 'crd' || subject === undefined) return allowed
  const context: RuleContext = { facts, now }
  const errors: Finding[] = []
  const warnings: Finding[] = []
  const failures: RuleFailure[] = []
  for (const rule of asked) {
    const severity = severities?.[rule.id] ?? rule.severity
    if (severity === 'off') continue
    try {
      const problems = rule.check(subject, context)
      if (problems.length === 0) continue
      const onlyWarns = severity === 'warn' || before === 'unreadable'
      const denied = onlyWarns ? noProblems : newProblems(problems, before ? rule.check(before, context) : [])
      for (const problem of problems) {
        const { path, message } = problem
        const finding: Finding = { rule: rule.id, path, message, fix: rule.fix }
        if (denied.has(problem)) errors.push(finding)
        else warnings.push(shortened(finding))
      }
    } catch (error) {
      // Whoever could make one rule fail would otherwise be rid of all of them.
      failures.push({ rule: rule.id, error })
      warnings.push(shortened({ rule: rule.id, path: '', message: failureText(error) }))
    }
  }
  return errors.length === 0 && warnings.length === 0 ? allowed : verdict(errors, warnings, failures)
}

const noProblems: ReadonlySet<Problem> = new Set()

function failureText(error: unknown): string {
  return `the rule failed, only the others were asked: ${error instanceof Error ? error.message : String(error)}`
}

function merged(a: Verdict, b: Verdict): Verdict {
  if (isSilent(a)) return b
  if (isSilent(b)) return a
  const failures = [...(a.failures ?? []), ...(b.failures ?? [])]
  return verdict([...a.errors, ...b.errors], [...a.warnings, ...b.warnings], failures)
}

function isSilent({ errors, warnings }: Verdict): boolean {
  return errors.length === 0 && warnings.length === 0
}

function shortened(finding: Finding): Finding {
  return { ...finding, message: shortText(finding.message, warningLengthMax) }
}

function verdict(
  errors: readonly Finding[],
  warnings: readonly Finding[],
  failures: readonly RuleFailure[] = [],
): Verdict {
  return { allowed: errors.length === 0, errors, warnings, ...(failures.length === 0 ? {} : { failures }) }
}

/** An object whose name or labels were wrong before can still be written, if an API server lets it. */
function newMetadataErrors(object: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old !== undefined && jsonEqual(object.metadata, old.metadata)) return []
  const errors = metadataErrors(object, old === undefined ? 'CREATE' : 'UPDATE')
  if (old === undefined || errors.length === 0) return errors
  const known = new Set(metadataErrors(old, 'UPDATE').map(({ message }) => message))
  return errors.filter(({ message }) => !known.has(message))
}

function toFinding({ source, path, body }: FieldError): Finding {
  return { rule: source, path, message: body }
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
