import { shortText } from '../model/short-text.ts'
import type { Finding } from './rule.ts'

/** What kubectl shows in full; API servers cut at 256 and drop the rest beyond 4 KiB. */
export const warningLengthMax = 120

/** API servers pass on 4,096 characters of warnings. Less, for the line that checks were skipped; a condition takes eight times as much. */
const warningsLengthMax = 3_900

/** As many as anybody is shown, and how many there are beside: one object may give cause for more than a server reads of an answer. */
export function warningTexts(findings: readonly Finding[]): readonly string[] {
  let length = 0
  const shown: string[] = []
  for (const finding of findings) {
    const text = warningText(finding)
    length += text.length
    const left = findings.length - shown.length
    if (length > warningsLengthMax) return [...shown, `and ${left} more warning${left === 1 ? '' : 's'}`]
    shown.push(text)
  }
  return shown
}

/** One line, the rule's ID first, and without control characters: an API server drops a warning that has one, and tells nobody. */
function warningText({ rule, path, message }: Finding): string {
  const text = `${rule}: ${path === '' ? '' : `${path}: `}${message}`.replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return shortText(text, warningLengthMax)
}
