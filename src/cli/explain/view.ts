import { fieldValueText } from '../../api/field-diff.ts'
import { printableText } from '../table.ts'
import type { SpecChange, Explanation, Reason } from './explanation.ts'

const marks: Readonly<Record<Reason['outcome'], string>> = { blocks: 'x', allows: '+', idle: '-' }

/** The answer first, then what holds, each with what would change it. */
export function explanationText({ kind, name, summary, facts, reasons, changes = [] }: Explanation): string {
  const width = Math.max(0, ...facts.map((fact) => fact.name.length))
  return [
    `${kind} ${name}`,
    summary,
    ...(facts.length === 0 ? [] : ['']),
    ...facts.map((fact) => `  ${fact.name.padEnd(width)}  ${fact.value}`),
    ...(changes.length === 0 ? [] : ['', '  changed since it was made']),
    ...changes.map(changeText),
    ...(reasons.length === 0 ? [] : ['']),
    // Help that several lines in a row have in common stands once, below the last of them.
    ...reasons.flatMap(({ about, outcome, code, message, help }, index) => [
      `${marks[outcome]} ${about}: ${message} [${code}]`,
      ...(help === null || help === reasons[index + 1]?.help ? [] : [`    help: ${help}`]),
    ]),
  ]
    .map(printableText)
    .join('\n')
}

function changeText({ object, path, old, new: now }: SpecChange): string {
  return `  ~ ${object} ${path}: ${fieldValueText(old ?? undefined)} -> ${fieldValueText(now ?? undefined)}`
}
