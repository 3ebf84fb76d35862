import { Command, Option } from 'commander'
import { applyEdits, planConversion } from '../../api/conversion/index.ts'
import { textOf } from '../../api/json.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import {
  type AdmissionFacts,
  type Finding as Judgement,
  judge,
  type Severity,
  type Verdict,
} from '../../admission/index.ts'
import { systemClock } from '../../kube/system-clock.ts'
import { type ExitCode, print, type Terminal, UsageError } from '../command-line.ts'
import { type ManifestDocument, type PartialObject, readDocuments } from '../input/documents.ts'
import { isAboutVariable, type StandingVariable, variablesOf } from '../input/variables.ts'
import { filenameOption, repeatable } from '../input/option-values.ts'
import { nearField } from '../input/near-field.ts'
import { didYouMean } from '../input/near-name.ts'
import { parsePath, pathText, wholeObject } from '../input/path.ts'
import type { CommandFactory } from '../main.ts'
import { outputOption } from '../output-format.ts'
import { type DocumentReport, type ReportedFinding, formatReports, type ReportFormat } from './report.ts'
import { catalogueProblems } from '../simulate/shape.ts'
import { clusterMates } from './clusters.ts'
import { offlineFacts } from './facts.ts'
import { isJudgedKind, runConvert, unserved } from '../input/judged-kinds.ts'
import { identity, previousObjects } from './previous.ts'
import { parseSeverities } from './severities.ts'

interface ValidateOptions {
  readonly filename: readonly string[]
  readonly old: readonly string[]
  readonly rules: 'crd' | 'all'
  readonly output: ReportFormat
  readonly strict: boolean
  readonly severity: readonly string[]
  readonly region?: string
}

export const validateCommand: CommandFactory = (terminal, exit) =>
  new Command('validate')
    .description('judge manifests as the API server and the admission webhook would, offline')
    .argument('[file...]', 'files or folders, `-` for standard input')
    .addOption(filenameOption())
    .addOption(
      repeatable(
        '--old <file>',
        'what is in the cluster now: an object of the same kind and name is updated, not created',
      ),
    )
    .addOption(
      new Option('--rules <set>', 'crd: schema and CEL only, as the API server; all: ours, too')
        .choices(['crd', 'all'])
        .default('all'),
    )
    .addOption(repeatable('--severity <rule=level>', 'set a rule to deny, warn or off'))
    .option('--region <name>', 'AWS region: checks NodePools against its built-in instance types')
    .option(
      '--strict',
      'refuse fields and kinds that are not known here, and judge variables of Flux as they stand',
      false,
    )
    .addOption(outputOption(['text', 'json', 'yaml', 'sarif', 'github']))
    .action(async (files: string[], options: ValidateOptions) => {
      exit(await validate([...files, ...options.filename], options, terminal))
    })

async function validate(files: readonly string[], options: ValidateOptions, terminal: Terminal): Promise<ExitCode> {
  if (files.length === 0) throw new UsageError('nothing to validate: name a file, a folder, or - for standard input')
  if (files.includes('-') && options.old.includes('-')) {
    throw new UsageError('standard input can hold the manifests or what --old is about, not both')
  }
  const severities = parseSeverities(options.severity)
  const documents = await readDocuments(files, terminal)
  const previousOf = previousObjects(documents, await readDocuments(options.old, terminal, 'may be empty'))
  const factsFor = await factsByCluster(documents, options)
  const now = systemClock().now()
  const reports = documents.map((document) =>
    report(document, { ...options, severities, previous: previousOf(document), facts: factsFor(document), now }),
  )
  const text = formatReports(reports, options.output)
  if (text !== '') print(terminal.stdout, text)
  return reports.every(({ allowed }) => allowed) ? 0 : 1
}

/**
 * What is known of the cluster that a document is for. With a region, instance types are known for every pool for which the input has no
 * catalogue.
 */
async function factsByCluster(
  documents: readonly ManifestDocument[],
  { rules, region }: ValidateOptions,
): Promise<(document: ManifestDocument) => AdmissionFacts> {
  if (rules !== 'all') return () => ({})
  const typesFor = region === undefined ? undefined : await builtInTypes(region)
  const matesOf = clusterMates(documents, ({ content }) =>
    content.kind === 'object' && isJudgedKind(content.object) ? identity(content.object) : undefined,
  )
  const known = new Map<readonly ManifestDocument[], AdmissionFacts>()
  return (document) => {
    const mates = matesOf(document)
    const facts = known.get(mates) ?? factsOf(mates, typesFor)
    known.set(mates, facts)
    return facts
  }
}

type TypesFor = Awaited<ReturnType<typeof builtInTypes>>

function factsOf(documents: readonly ManifestDocument[], typesFor: TypesFor | undefined): AdmissionFacts {
  const facts = offlineFacts(documents)
  if (typesFor === undefined || facts.catalogueOf !== undefined) return facts
  return { ...facts, catalogueOf: (pool) => typesFor(pool, facts.nodeClasses ?? []) }
}

async function builtInTypes(region: string) {
  const [{ admissionCatalogue }, { requireBuiltIn }] = await Promise.all([
    import('../input/admission-catalogue.ts'),
    import('../simulate/region.ts'),
  ])
  requireBuiltIn(region)
  return admissionCatalogue({ region }).typesFor
}

interface Circumstances {
  readonly rules: 'crd' | 'all'
  readonly strict: boolean
  readonly severities: Readonly<Record<string, Severity>>
  /** What the document updates. */
  readonly previous: object | undefined
  readonly facts: AdmissionFacts
  readonly now: number
}

function report(document: ManifestDocument, circumstances: Circumstances): DocumentReport {
  const { file, index, content } = document
  const place = { file, document: index, line: document.locate([]).line }
  if (content.kind === 'unreadable') {
    const isLeftAlone = content.isPatch && !circumstances.strict
    const errors = (isLeftAlone ? [] : content.problems).map(({ message, line: at, column }) => ({
      rule: 'syntax',
      path: '',
      message,
      line: at,
      column,
      fix: null,
    }))
    return { ...place, apiVersion: '', kind: '', name: '', allowed: isLeftAlone, errors, warnings: [] }
  }
  const { object } = content
  const subject = {
    apiVersion: textOf(object.apiVersion),
    kind: textOf(object.kind),
    name: textOf((object.metadata as { name?: unknown } | undefined)?.name),
  }
  if (!isJudgedKind(object)) {
    const refused = unserved(object)
    const isNamed = subject.apiVersion !== '' && subject.kind !== ''
    const { message, fix } = refused ?? {
      message: isNamed
        ? `no rules are known for ${subject.apiVersion} ${subject.kind}`
        : 'apiVersion and kind must be given',
      fix: null,
    }
    const unknown = { rule: 'unknown-kind', path: 'apiVersion', message, ...document.locate(['apiVersion']), fix }
    const isRefused = circumstances.strict || refused !== undefined
    const errors = [...(isRefused ? [unknown] : []), ...catalogueErrors(object, document)]
    return { ...place, ...subject, allowed: errors.length === 0, errors, warnings: [] }
  }
  const oldObject = circumstances.previous
  const verdict = judge({
    object: object as KubeObject,
    ...(oldObject === undefined ? {} : { oldObject: oldObject as KubeObject }),
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    rules: circumstances.rules,
    severities: circumstances.severities,
    facts: circumstances.facts,
    now: circumstances.now,
  })
  const located = (findings: readonly Judgement[]): ReportedFinding[] =>
    findings.map(({ rule, path, message, fix }) => ({
      rule,
      path,
      message,
      ...document.locate(parsePath(path, object)),
      fix: fix ?? null,
    }))
  const mended = mendedBy(object, verdict, circumstances.now)
  const variables = variablesOf(document)
  const told = { errors: verdict.errors, warnings: verdict.warnings.map(mended).map(withNearField(object)) }
  const { errors, warnings } = circumstances.strict
    ? withFieldsRefused(told)
    : { ...told, errors: withoutVariables(told.errors, variables) }
  return {
    ...place,
    ...subject,
    allowed: errors.length === 0,
    errors: located(errors.map(mended)),
    warnings: [...variableWarnings(variables), ...located(warnings)],
  }
}

/** `kubectl apply` asks the API server to refuse what it would otherwise drop with a warning. */
function withFieldsRefused({
  errors,
  warnings,
}: Pick<Verdict, 'errors' | 'warnings'>): Pick<Verdict, 'errors' | 'warnings'> {
  return {
    errors: [...errors, ...warnings.filter(isUnknownField)],
    warnings: warnings.filter((warning) => !isUnknownField(warning)),
  }
}

/** The schema warns of nothing else. */
function isUnknownField({ rule }: Judgement): boolean {
  return rule === 'schema'
}

/** Asks of an unknown field whether another one was meant, unless something else is known to mend it. */
function withNearField(object: PartialObject): (warning: Judgement) => Judgement {
  return (warning) => {
    if (!isUnknownField(warning) || warning.fix !== undefined) return warning
    const meant = nearField(object, parsePath(warning.path, object))
    return meant === undefined ? warning : { ...warning, fix: didYouMean(meant) }
  }
}

/** What is left when the variables are put in, as far as that is known. */
function withoutVariables(errors: readonly Judgement[], variables: readonly StandingVariable[]): readonly Judgement[] {
  const left = errors.filter((error) => !isAboutVariable(error, variables))
  // That rules were not reached says nothing alone.
  return left.every(({ path }) => path === wholeObject) ? [] : left
}

/** Names the conversion as the fix of what it would mend of a manifest that says v1 and has fields as an older version had them. */
function mendedBy(
  object: PartialObject,
  { errors, warnings }: Verdict,
  now: number,
): (finding: Judgement) => Judgement {
  const isWritten = ({ rule, path }: Judgement): boolean => rule === 'schema' && path !== wholeObject
  const plan = [...errors, ...warnings].some(isWritten) ? planConversion(object) : undefined
  if (plan === undefined) return (finding) => finding
  const converted = judge({
    object: applyEdits(object, plan.edits) as KubeObject,
    operation: 'CREATE',
    rules: 'crd',
    now,
  })
  const left = new Set([...converted.errors, ...converted.warnings].map(({ path }) => path))
  return (finding) =>
    isWritten(finding) && finding.fix === undefined && !left.has(finding.path)
      ? { ...finding, fix: runConvert }
      : finding
}

/** What else is told of the manifest holds of these texts, and not of what Flux makes of them. */
function variableWarnings(variables: readonly StandingVariable[]): readonly ReportedFinding[] {
  return variables.map(({ path, message, line, column }) => ({
    rule: 'variable',
    path,
    message,
    line,
    column,
    fix: null,
  }))
}

/** Without the types that the input is meant to bring, the rules that ask for them would say nothing. */
function catalogueErrors(object: PartialObject, document: ManifestDocument): ReportedFinding[] {
  return catalogueProblems(object).map(({ path, message }) => ({
    rule: 'schema',
    path: pathText(path),
    message,
    ...document.locate(path),
    fix: null,
  }))
}
