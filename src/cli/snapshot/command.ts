import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { stringify } from 'yaml'
import { messageOf } from '../../api/error-text.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { kubernetesYAML } from '../../api/kubernetes-yaml.ts'
import { print, ProblemsError, type Terminal } from '../command-line.ts'
import { callerOf, type ClusterOptions, withCluster, withClusterOptions } from '../connect.ts'
import { parseFileName } from '../input/option-values.ts'
import type { CommandFactory } from '../main.ts'
import { uninterrupted } from '../uninterrupted.ts'
import { readCluster } from './read-cluster.ts'

interface SnapshotOptions extends ClusterOptions {
  readonly out?: string
  readonly output: 'yaml' | 'json'
}

export const snapshotCommand: CommandFactory = (terminal) =>
  withClusterOptions(new Command('snapshot'))
    .description(
      'write what plan and simulate need of a live cluster, redacted: no secrets, no environment, no arguments',
    )
    .option('--out <file>', 'where to write it; default: standard output', parseFileName)
    .addOption(
      new Option('-o, --output <format>', 'yaml documents or one JSON List').choices(['yaml', 'json']).default('yaml'),
    )
    .action(async (options: SnapshotOptions) => {
      const caller = callerOf('joinery-snapshot', terminal)
      const objects = await withCluster(options, caller, ({ client }) => readCluster(client, terminal))
      const text = options.output === 'json' ? toJSONList(objects) : toDocuments(objects)
      if (options.out === undefined) print(terminal.stdout, text)
      else writeSnapshot(options.out, text, terminal)
    })

/** Half of a snapshot would pass for a smaller cluster. */
function writeSnapshot(file: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): void {
  try {
    uninterrupted(() => writeFileSync(resolve(cwd, file), text))
  } catch (error) {
    throw new ProblemsError([`${file}: cannot be written: ${messageOf(error)}`])
  }
}

function toDocuments(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { ...kubernetesYAML, lineWidth: 0 })}`).join('')
}

function toJSONList(objects: readonly KubeObject[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })}\n`
}
