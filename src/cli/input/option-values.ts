import { InvalidArgumentError } from 'commander'
import { parseTimestamp } from '../../model/clock.ts'

export function parseTime(text: string): number {
  const time = parseTimestamp(text)
  if (time === undefined) throw new InvalidArgumentError('expected a time such as 2026-06-14T12:00:00Z')
  return time
}

export function parseBool(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('expected true or false')
  return text === 'true'
}

export function collect(value: string, previous: readonly string[]): readonly string[] {
  return [...previous, value]
}
