import type { Writable } from 'node:stream'
import { InvalidArgumentError, Option } from 'commander'
import { print, printJSON } from './command-line.ts'
import { toYAML } from './data-text.ts'

/** What programs read: every command that answers something has both. */
export type DataFormat = 'json' | 'yaml'

/** What people read is a table in some commands and sentences in others; nobody has to remember which word is for which. */
const forPeople: readonly string[] = ['text', 'table']

/** `-o`: the first format is the default. */
export function outputOption(formats: readonly [string, ...string[]], description = 'how to print it'): Option {
  const readable = formats.find((format) => forPeople.includes(format))
  return new Option('-o, --output <format>', description)
    .choices(formats)
    .default(formats[0])
    .argParser((format) => {
      if (readable !== undefined && forPeople.includes(format)) return readable
      if (!formats.includes(format)) throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.`)
      return format
    })
}

export function isDataFormat(format: string): format is DataFormat {
  return format === 'json' || format === 'yaml'
}

export function printData(stream: Writable, format: DataFormat, value: unknown): void {
  if (format === 'json') printJSON(stream, value)
  else print(stream, toYAML(value))
}
