import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { checkoutCommit } from './checkout-commit.ts'
import { print } from './command-line.ts'
import type { CommandFactory } from './main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from './output-format.ts'

/** The release whose names, constants, messages and decisions are matched. */
export const karpenterVersion = '1.14'

export interface Version {
  readonly version: string
  /** Empty where nobody knows it, as in a copy of the sources without git's folder. */
  readonly commit: string
  readonly karpenter: string
  readonly node: string
}

export function readVersion(env: Readonly<Record<string, string | undefined>>): Version {
  return {
    version: packageVersion(),
    commit: env['JOINERY_COMMIT'] || builtCommit(),
    karpenter: karpenterVersion,
    node: process.versions.node,
  }
}

export const versionCommand: CommandFactory = (terminal) =>
  new Command('version')
    .description('print the version, the commit, and the Karpenter version whose behaviour is matched')
    .addOption(outputOption(['text', 'json', 'yaml']))
    .action(({ output }: { output: 'text' | DataFormat }) => {
      const version = readVersion(terminal.env)
      if (isDataFormat(output)) printData(terminal.stdout, output, version)
      else print(terminal.stdout, versionText(version))
    })

export function versionText({ version, commit, karpenter, node }: Version): string {
  const built = commit === '' ? '' : `, commit ${commit}`
  return `joinery ${version}${built} (behaves as Karpenter ${karpenter}, Node ${node})`
}

/** The build writes it beside the program, where it knows it; in a checkout git does. */
function builtCommit(): string {
  try {
    return readFileSync(new URL('../../commit', import.meta.url), 'utf8').trim()
  } catch {
    return checkoutCommit(fileURLToPath(new URL('../../', import.meta.url)))
  }
}

/** package.json stands beside src/ in a checkout and beside dist/ in the published package. */
function packageVersion(): string {
  for (const place of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8')) as {
        name?: string
        version?: string
      }
      if (name === 'joinery' && version !== undefined) return version
    } catch {
      // Not there: the other layout.
    }
  }
  return '0.0.0'
}
