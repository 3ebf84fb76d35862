import { isRecord } from '../src/api/json.ts'
import type { KubeObject } from '../src/api/kubernetes.ts'
import { compiledResourceOf } from '../src/api/validation/index.ts'
import { type AdmissionFacts, type Finding, judge, type Severity, warningTexts } from '../src/admission/index.ts'
import type { Logger } from '../src/kube/logger.ts'
import type { Clock } from '../src/model/clock.ts'
import { approverPatch } from './approver.ts'
import type { ReviewAnswer, ReviewRequest } from './review.ts'

export interface JudgeOptions {
  readonly clock: Clock
  /** `crd`: only what an API server with our definitions refuses. `all` when absent. */
  readonly rules?: 'crd' | 'all'
  readonly severities?: Readonly<Record<string, Severity>>
  /**
   * What the rules that depend on the cluster look at, from caches; never a call to the cloud. When it takes too long or fails those
   * rules are skipped, and the answer says so.
   */
  readonly facts?: (request: ReviewRequest) => AdmissionFacts | Promise<AdmissionFacts>
  /** Where it is told that facts or a rule failed. */
  readonly log?: Logger
}

/** Well below the API server's own time-out for us, so that a slow fact never costs the whole answer. */
const factsDeadlineMs = 250
/** API servers read at most 3 MiB of an answer, and nobody reads more than this. */
const denialLengthMax = 64 * 1024
/** Under this rule the answer says that rules were skipped. */
const skippedRule = 'JN-000'
const skippedBecause: Readonly<Record<'late' | 'failed', string>> = {
  late: `no facts within ${factsDeadlineMs} ms`,
  failed: 'the facts could not be gathered',
}

/** Answers at once where the facts are at hand, so that a review costs no more turns of the event loop than it must. */
export function validateReview(
  options: JudgeOptions,
): (request: ReviewRequest) => ReviewAnswer | Promise<ReviewAnswer> {
  return (request) => {
    const { operation, object, subResource } = request
    // Status and scale writes are the controllers' and never make a spec worse.
    if (object === undefined || subResource !== '' || operation === 'DELETE' || operation === 'CONNECT') {
      return { allowed: true }
    }
    const facts = gatherFacts(options, request)
    return facts instanceof Promise
      ? facts.then((late) => answerOf(options, { request, operation, object, facts: late }))
      : answerOf(options, { request, operation, object, facts })
  }
}

interface Question {
  readonly request: ReviewRequest
  readonly operation: 'CREATE' | 'UPDATE'
  readonly object: KubeObject
  readonly facts: Gathered
}

type Gathered = Readonly<
  { kind: 'none' } | { kind: 'facts'; facts: AdmissionFacts } | { kind: 'late' } | { kind: 'failed'; error: unknown }
>

function answerOf(options: JudgeOptions, { request, operation, object, facts }: Question): ReviewAnswer {
  const { oldObject } = request
  const verdict = judge({
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
    operation,
    rules: options.rules ?? 'all',
    ...(facts.kind === 'facts' ? { facts: facts.facts } : {}),
    ...(options.severities === undefined ? {} : { severities: options.severities }),
    now: options.clock.now(),
  })
  for (const { rule, error } of verdict.failures ?? []) {
    options.log?.error({ err: error, rule, [object.kind]: { name: nameOf(object) } }, 'admission rule failed')
  }
  const warnings = [...warningTexts(verdict.warnings)]
  if (facts.kind === 'failed') {
    const { kind, name } = request
    const fields = { err: facts.error, rule: skippedRule, [kind.kind]: { name } }
    options.log?.error(fields, 'gathering facts for an admission review failed')
  }
  if (facts.kind === 'late' || facts.kind === 'failed') {
    warnings.push(`${skippedRule}: checks that depend on the cluster were skipped: ${skippedBecause[facts.kind]}`)
  }
  return verdict.allowed
    ? { allowed: true, warnings }
    : { allowed: false, warnings, message: denialText(request, verdict.errors) }
}

/**
 * Fills in the schema's own defaults where the user said nothing: with our CRDs the API server has done it already. And notes who
 * approves a rollout.
 */
export function mutateReview(request: ReviewRequest): ReviewAnswer {
  const { object, subResource } = request
  if (object === undefined || subResource !== '') return { allowed: true }
  const resource = compiledResourceOf(object)
  if (resource === undefined) return { allowed: true }
  return { allowed: true, patch: [...additions(object, resource.default(object), ''), ...approverPatch(request)] }
}

/** JSON Patch that adds what `completed` has and `given` has not. Nothing that was given is touched. */
function additions(given: unknown, completed: unknown, path: string): object[] {
  if (Array.isArray(given) && Array.isArray(completed)) {
    return completed.flatMap((value, index) => additions(given[index], value, `${path}/${index}`))
  }
  if (!isRecord(given) || !isRecord(completed)) return []
  return Object.entries(completed).flatMap(([key, value]) => {
    const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const known = Object.hasOwn(given, key) ? given[key] : undefined
    if (known !== undefined && known !== null) return additions(known, value, at)
    // A null that stays one is no addition: asked again, the answer would be the same patch for ever.
    return value === known ? [] : [{ op: 'add', path: at, value }]
  })
}

/** Facts are advice: their failure must not cost a review. */
function gatherFacts({ facts, clock }: JudgeOptions, request: ReviewRequest): Gathered | Promise<Gathered> {
  if (facts === undefined) return { kind: 'none' }
  try {
    const gathered = facts(request)
    // What is in memory needs no deadline, and a timer for each review is dear.
    return gathered instanceof Promise ? withDeadline(gathered, clock) : { kind: 'facts', facts: gathered }
  } catch (error) {
    return { kind: 'failed', error }
  }
}

async function withDeadline(gathered: Promise<AdmissionFacts>, clock: Clock): Promise<Gathered> {
  const stop = new AbortController()
  const deadline = clock.sleep(factsDeadlineMs, stop.signal).then(
    (): Gathered => ({ kind: 'late' }),
    (): Gathered => ({ kind: 'late' }),
  )
  const inTime = gathered.then((facts): Gathered => ({ kind: 'facts', facts }))
  try {
    return await Promise.race([inTime, deadline])
  } catch (error) {
    return { kind: 'failed', error }
  } finally {
    stop.abort()
  }
}

/** As an API server words a refused object, each of our own rules with its ID and what would mend it. */
function denialText({ kind, name, object }: ReviewRequest, errors: readonly Finding[]): string {
  const texts = errors.map(({ rule, path, message, fix }) => {
    const place = path === '' ? message : `${path}: ${message}`
    return rule.startsWith('JN-') ? `${place} (${rule}${fix === undefined ? '' : `: ${fix}`})` : place
  })
  let length = 0
  const shown = texts.filter((text) => (length += text.length) <= denialLengthMax)
  if (shown.length === 0) shown.push(...texts.slice(0, 1).map((text) => `${text.slice(0, denialLengthMax)}…`))
  if (shown.length < texts.length) shown.push(`and ${texts.length - shown.length} more`)
  const subject = `${kind.kind}.${kind.group} ${JSON.stringify(name === '' ? nameOf(object) : name)} is invalid`
  return `${subject}: ${shown.length === 1 ? shown.join('') : `[${shown.join(', ')}]`}`
}

function nameOf(object: KubeObject | undefined): string {
  return object?.metadata.name ?? object?.metadata.generateName ?? ''
}
