import { rules } from '../../admission/index.ts'
import { artifactURI } from '../artifact-uri.ts'
import { countText } from '../count-text.ts'
import { toJSON, toYAML } from '../data-text.ts'
import { isJudgedKind } from '../input/judged-kinds.ts'
import { wholeObject } from '../input/path.ts'
import { printableLines, printableText } from '../table.ts'

/** One finding of `joinery validate`, as its JSON contract has it. */
export interface ReportedFinding {
  /** `syntax`, `schema`, `cel`, `unknown-kind` or the ID of one of our rules. */
  readonly rule: string
  /** As the API server prints it; empty for the whole document. */
  readonly path: string
  readonly message: string
  readonly line: number
  readonly column: number
  readonly fix: string | null
}

/** What is said of one document. `allowed` is false exactly when there are errors. */
export interface DocumentReport {
  readonly file: string
  /** Among the documents of its file, from 0. */
  readonly document: number
  readonly line: number
  readonly apiVersion: string
  /** Empty when the document does not parse. */
  readonly kind: string
  readonly name: string
  readonly allowed: boolean
  readonly errors: readonly ReportedFinding[]
  readonly warnings: readonly ReportedFinding[]
}

export type ReportFormat = 'text' | 'json' | 'yaml' | 'sarif' | 'github'

/** Pages of the rules in this repository. */
const rulePages = 'docs/rules'

export function formatReports(reports: readonly DocumentReport[], format: ReportFormat): string {
  switch (format) {
    case 'text':
      return textReport(reports)
    case 'json':
      return toJSON(reports)
    case 'yaml':
      return toYAML(reports)
    case 'sarif':
      return toJSON(sarifReport(reports))
    case 'github':
      return githubReport(reports)
  }
}

function textReport(reports: readonly DocumentReport[]): string {
  const lines = reports.flatMap((report) => [
    ...textLines(report, report.errors, 'error'),
    ...textLines(report, report.warnings, 'warning'),
  ])
  const refused = reports.filter((report) => !report.allowed).length
  const warnings = reports.reduce((sum, report) => sum + report.warnings.length, 0)
  const judgedNot = reports.filter((report) => report.allowed && !isJudgedKind(report)).length
  const others = judgedNot === 0 ? '' : `, ${judgedNot} of kinds that are not known here`
  lines.push(`${countText(reports.length, 'document')}, ${refused} refused, ${countText(warnings, 'warning')}${others}`)
  return lines.join('\n')
}

/** What several lines in a row would be mended by stands once, below the last of them. */
function textLines(
  report: DocumentReport,
  findings: readonly ReportedFinding[],
  severity: 'error' | 'warning',
): readonly string[] {
  return findings.flatMap((finding, index) => [
    textLine(report, finding, severity),
    ...(finding.fix === null || finding.fix === findings[index + 1]?.fix ? [] : [`    fix: ${finding.fix}`]),
  ])
}

/** `file:line:column kind/name field: reason`, then the rule. */
function textLine(report: DocumentReport, finding: ReportedFinding, severity: 'error' | 'warning'): string {
  const place = `${report.file}:${finding.line}:${finding.column}`
  const mark = severity === 'warning' ? 'warning: ' : ''
  return `${printableText(`${place}${subjectOf(report, finding)}: ${mark}${finding.message}`)} (${finding.rule})`
}

/** ` NodePool/default spec.weight`; nothing for a document that does not parse. */
function subjectOf({ kind, name }: DocumentReport, { path }: ReportedFinding): string {
  const isWhole = path === '' || path === wholeObject
  return `${kind === '' ? '' : ` ${kind}/${name}`}${isWhole ? '' : ` ${path}`}`
}

/** One line that stands alone. */
function sentenceOf(report: DocumentReport, finding: ReportedFinding): string {
  const subject = subjectOf(report, finding).trimStart()
  return subject === '' ? finding.message : `${subject}: ${finding.message}`
}

/** Workflow commands of GitHub Actions: shown on the lines of a pull request. */
function githubReport(reports: readonly DocumentReport[]): string {
  const annotation = (level: string, report: DocumentReport, finding: ReportedFinding): string => {
    const place = `file=${property(report.file)},line=${finding.line},col=${finding.column},title=${property(finding.rule)}`
    const fix = finding.fix === null ? '' : `\n${finding.fix}`
    return `::${level} ${place}::${data(`${sentenceOf(report, finding)}${fix}`)}`
  }
  return reports
    .flatMap((report) => [
      ...report.errors.map((finding) => annotation('error', report, finding)),
      ...report.warnings.map((finding) => annotation('warning', report, finding)),
    ])
    .join('\n')
}

function data(text: string): string {
  return printableLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A')
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function sarifReport(reports: readonly DocumentReport[]): object {
  const results = reports.flatMap((report) => [
    ...report.errors.map((finding) => sarifResult(report, finding, 'error')),
    ...report.warnings.map((finding) => sarifResult(report, finding, 'warning')),
  ])
  const ids = [...new Set(reports.flatMap(({ errors, warnings }) => [...errors, ...warnings].map(({ rule }) => rule)))]
  const described = ids.toSorted().map(sarifRule)
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'joinery', rules: described } }, results }],
  }
}

function sarifRule(id: string): object {
  const rule = rules.find((one) => one.id === id)
  if (rule === undefined) return { id }
  const help = `${rule.fix} See ${rulePages}/${id}.md.`
  return { id, shortDescription: { text: rule.title }, help: { text: help } }
}

function sarifResult(report: DocumentReport, finding: ReportedFinding, level: 'error' | 'warning'): object {
  return {
    ruleId: finding.rule,
    level,
    message: { text: sentenceOf(report, finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: artifactURI(report.file) },
          region: { startLine: finding.line, startColumn: finding.column },
        },
      },
    ],
  }
}
