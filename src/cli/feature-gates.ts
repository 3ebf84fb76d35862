import { InvalidArgumentError, Option } from 'commander'
import { gates } from '../operator/option-kinds.ts'
import { coreGates } from '../operator/option-table.ts'

/** The flag of commands that decide as the operator would, with its names and defaults. */
export function featureGatesOption(): Option {
  const names = Object.entries(coreGates)
    .map(([name, on]) => `${name}=${on}`)
    .join(',')
  return new Option('--feature-gates <list>', 'gates to switch on or off: A=true,B=false')
    .argParser(parseGates)
    .default(coreGates, names)
}

function parseGates(text: string): Readonly<Record<string, boolean>> {
  const parsed = gates(coreGates).parseFlag(text)
  if (parsed.kind !== 'ok') throw new InvalidArgumentError(parsed.message)
  // Who types them means them; only what an operator is given may hold some of former versions.
  const [unknown] = parsed.passedOver ?? []
  if (unknown !== undefined) throw new InvalidArgumentError(unknown)
  return parsed.value
}
