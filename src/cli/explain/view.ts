import type { Explanation, Reason } from './explanation.ts'

const marks: Readonly<Record<Reason['outcome'], string>> = { blocks: 'x', allows: '+', idle: '-' }

/** The answer first, then what holds, each with what would change it. */
export function explanationText({ kind, name, summary, facts, reasons }: Explanation): string {
  const width = Math.max(0, ...facts.map((fact) => fact.name.length))
  return [
    `${kind} ${name}`,
    summary,
    ...(facts.length === 0 ? [] : ['']),
    ...facts.map((fact) => `  ${fact.name.padEnd(width)}  ${fact.value}`),
    ...(reasons.length === 0 ? [] : ['']),
    ...reasons.flatMap(({ about, outcome, code, message, help }) => [
      `${marks[outcome]} ${about}: ${message} [${code}]`,
      ...(help === null ? [] : [`    help: ${help}`]),
    ]),
  ].join('\n')
}
