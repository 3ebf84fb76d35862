import { formatDuration, parseDuration } from '../../../api/duration.ts'
import { UserDataError } from './inputs.ts'

/** A duration as Go prints it: `90s` becomes `1m30s`. */
export function goDuration(text: string): string {
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid') throw new UserDataError(parsed.message)
  return formatDuration(parsed.nanoseconds)
}
