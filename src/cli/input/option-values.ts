import { InvalidArgumentError, Option } from 'commander'
import { parseDateTime } from '../../api/validation/formats.ts'

export function parseTime(text: string): number {
  const time = parseDateTime(text)
  if (time === undefined) throw new InvalidArgumentError('expected a time such as 2026-06-14T12:00:00Z')
  return time
}

export function parseBool(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false')
  return text === 'true'
}

export const emptyName = 'the name of a file is empty: is a variable unset?'

/** The name of one file or folder: an unset variable of a script makes an empty one, which would be found out only when the file is used. */
export function parseFileName(text: string): string {
  if (text === '') throw new InvalidArgumentError(emptyName)
  return text
}

/** An option whose values add up, none by default. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; may be repeated`)
    .argParser((value: string, previous: readonly string[]): readonly string[] => [...previous, value])
    .default([], 'none')
}

/** `-f`, for those who are used to kubectl's, beside the arguments. */
export function filenameOption(): Option {
  return repeatable('-f, --filename <file>', 'the same as an argument')
}
