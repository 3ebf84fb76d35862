import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { stringify } from 'yaml'
import { messageOf } from '../../api/error-text.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { kubernetesYAML } from '../../api/kubernetes-yaml.ts'
import { print, ProblemsError, type Terminal } from '../command-line.ts'
import { withCluster } from '../connect.ts'
import type { CommandFactory } from '../main.ts'
import { uninterrupted } from '../uninterrupted.ts'
import { readCluster } from './read-cluster.ts'

export const snapshotCommand: CommandFactory = (terminal) =>
  new Command('snapshot')
    .description(
      'write what plan and simulate need of a live cluster, redacted: no secrets, no environment, no arguments',
    )
    .option('--kubeconfig <file>', 'kubeconfig to use; default: KUBECONFIG, then ~/.kube/config, then in-cluster')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--out <file>', 'where to write it; default: standard output')
    .addOption(
      new Option('-o, --output <format>', 'yaml documents or one JSON List').choices(['yaml', 'json']).default('yaml'),
    )
    .action(async (options: { kubeconfig?: string; context?: string; out?: string; output: 'yaml' | 'json' }) => {
      const objects = await withCluster(options, 'joinery-snapshot', ({ client }) => readCluster(client, terminal))
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
