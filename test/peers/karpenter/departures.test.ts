import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Decisions } from '../support/decisions.ts'
import { describeWithPeers } from '../support/peers.ts'
import { decide } from './decision-world.ts'
import { departures } from './departures.ts'
import { classes, type Workload } from './workloads.ts'

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'compatibility.md')

await describeWithPeers(
  'what docs/compatibility.md says of pods and of where they get nodes, with Karpenter and with the operator',
  ['kube-apiserver', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    const decided: { [who in 'Karpenter' | 'Joinery']?: Decisions } = {}
    const workloads = departures.map(({ workload }) => workload)
    beforeAll(async () => {
      for (const who of ['Karpenter', 'Joinery'] as const) {
        decided[who] = (await decide(who, { classes, workloads, hasLaterBatches: true })).decisions
      }
    })

    test.each(departures)('$line', async ({ line, workload, nodes }) => {
      const { Karpenter, Joinery } = decided
      expect({ Karpenter: poolsOf(Karpenter, workload), Joinery: poolsOf(Joinery, workload) }).toEqual(nodes)
      expect(await readFile(page, 'utf8')).toContain(`\n| ${line}`)
    })
  },
)

/** Of the nodes that are planned for it. */
function poolsOf(decisions: Decisions | undefined, { name, pools = [{}] }: Workload): readonly string[] {
  return pools.flatMap(({ suffix = '' }) => (decisions?.claims[`${name}${suffix}`] ?? []).map(() => `${name}${suffix}`))
}
