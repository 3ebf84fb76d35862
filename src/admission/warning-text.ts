import { shortText } from '../model/short-text.ts'
import type { Finding } from './rule.ts'

/** What kubectl shows in full; API servers cut at 256 and drop the rest beyond 4 KiB. */
export const warningLengthMax = 120

/** One line, the rule's ID first, and without control characters: an API server drops a warning that has one, and tells nobody. */
export function warningText({ rule, path, message }: Finding): string {
  const text = `${rule}: ${path === '' ? '' : `${path}: `}${message}`.replaceAll(/[\s\p{Cc}]+/gu, ' ')
  return shortText(text, warningLengthMax)
}
