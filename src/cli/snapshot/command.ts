import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { stringify } from 'yaml'
import type { KubeObject } from '../../api/kubernetes.ts'
import { hasCode } from '../../kube/errors.ts'
import { createHTTPClient } from '../../kube/http-client.ts'
import * as karpenterKinds from '../../kube/karpenter-kinds.ts'
import { loadKubeConfig } from '../../kube/kube-config.ts'
import * as kinds from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { apiVersionOf, type Resource } from '../../kube/resource.ts'
import { systemClock } from '../../kube/system-clock.ts'
import { systemRandom } from '../../kube/system-random.ts'
import { print, type Terminal } from '../command-line.ts'
import type { CommandFactory } from '../main.ts'
import { redact } from './redact.ts'

/** What plan and simulate read. No Secret, no ConfigMap, no event. */
const recorded: readonly Resource[] = [
  karpenterKinds.nodePools,
  karpenterKinds.ec2NodeClasses,
  karpenterKinds.nodeOverlays,
  karpenterKinds.nodeClaims,
  karpenterKinds.capacityBuffers,
  karpenterKinds.rolloutPolicies,
  kinds.namespaces,
  kinds.nodes,
  kinds.pods,
  kinds.daemonSets,
  kinds.deployments,
  kinds.replicaSets,
  kinds.statefulSets,
  kinds.services,
  kinds.podDisruptionBudgets,
  kinds.persistentVolumeClaims,
  kinds.persistentVolumes,
  kinds.storageClasses,
  kinds.csiNodes,
  kinds.priorityClasses,
  kinds.podTemplates,
]

const pageSize = 500

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
      const { kubeconfig, context } = options
      const config = loadKubeConfig({
        ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
        ...(context === undefined ? {} : { context }),
      })
      const client = createHTTPClient({
        config,
        clock: systemClock(),
        random: systemRandom(),
        qps: 50,
        burst: 100,
        userAgent: 'joinery-snapshot',
      })
      try {
        const objects = await readCluster(client, terminal)
        const text = options.output === 'json' ? toJSONList(objects) : toDocuments(objects)
        if (options.out === undefined) print(terminal.stdout, text)
        else await writeFile(resolve(terminal.cwd, options.out), text)
      } finally {
        await client.close()
      }
    })

/** Every recorded object, redacted, kinds in order, each by namespace and name as the server lists them. */
export async function readCluster(
  client: KubeClient,
  terminal: Pick<Terminal, 'stderr' | 'signal'>,
): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  for (const resource of recorded) {
    try {
      objects.push(...(await listAll(client, resource, terminal.signal)))
    } catch (error) {
      // A cluster without some of the CRDs is still worth a snapshot; what may not be read must be said.
      if (hasCode(error, 'NotFound')) continue
      if (!hasCode(error, 'Forbidden')) throw error
      print(terminal.stderr, `warning: ${resource.plural} may not be listed and are left out`)
    }
  }
  return objects
}

async function listAll(client: KubeClient, resource: Resource, signal: AbortSignal): Promise<KubeObject[]> {
  const objects: KubeObject[] = []
  let next: string | undefined
  do {
    const page = await client.list(resource, {
      limit: pageSize,
      signal,
      ...(next === undefined ? {} : { continue: next }),
    })
    for (const item of page.items)
      objects.push(redact({ ...item, apiVersion: apiVersionOf(resource), kind: resource.kind }))
    next = page.continue === '' ? undefined : page.continue
  } while (next !== undefined)
  return objects
}

function toDocuments(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${stringify(object, { lineWidth: 0 })}`).join('')
}

function toJSONList(objects: readonly KubeObject[]): string {
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects })}\n`
}
