import { beforeAll, expect, test } from 'vitest'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import type { Decisions } from '../support/decisions.ts'
import { describeWithPeers } from '../support/peers.ts'
import { decide } from './decision-world.ts'
import { differingDecisions } from './differing-decisions.ts'
import { classes, type Workload } from './workloads.ts'

await describeWithPeers(
  'what docs/compatibility.md says of pods and of where they get nodes, with Karpenter and with the operator',
  ['kube-apiserver', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    const decided: { [who in 'Karpenter' | 'Joinery']?: Decisions } = {}
    const workloads = differingDecisions.map(({ workload }) => workload)
    beforeAll(async () => {
      for (const who of ['Karpenter', 'Joinery'] as const) {
        decided[who] = (await decide(who, { classes, workloads, hasLaterBatches: true })).decisions
      }
    })

    test.each(differingDecisions)('$line', async ({ line, workload, nodes }) => {
      const { Karpenter, Joinery } = decided
      expect({ Karpenter: poolsOf(Karpenter, workload), Joinery: poolsOf(Joinery, workload) }).toEqual(nodes)
      expect(await hasCompatibilityLine(line)).toBe(true)
    })
  },
)

/** Of the nodes that are planned for it. */
function poolsOf(decisions: Decisions | undefined, { name, pools = [{}] }: Workload): readonly string[] {
  return pools.flatMap(({ suffix = '' }) => (decisions?.claims[`${name}${suffix}`] ?? []).map(() => `${name}${suffix}`))
}
