import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { redact } from '../../../src/cli/snapshot/redact.ts'
import { propose } from '../../../src/rollout/plan/proposal.ts'
import { installCRDs } from '../support/crds.ts'
import { userShell } from '../support/documented-steps.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const applies = {
  kubectl: 'kubectl apply',
  flux: 'kubectl apply --server-side --field-manager=kustomize-controller',
}

await describeWithPeers('what an apply takes away', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()
  beforeAll(() => installCRDs(controlPlane()).then(() => undefined))

  test.each(Object.entries(applies))(
    'is what the plan of a commit says (%s)',
    async (name, apply) => {
      const shell = await userShell(controlPlane())
      onTestFinished(() => shell.dispose())
      const manifest = (annotations: Record<string, string>, labels: Record<string, string>): NodePool =>
        ({
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          metadata: { name, annotations, labels },
          spec: {
            template: {
              spec: {
                nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
                requirements: [],
                expireAfter: '720h',
              },
            },
            disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '1m', budgets: [{ nodes: '10%' }] },
          },
        }) as unknown as NodePool
      const read = async (): Promise<NodePool> =>
        JSON.parse(await shell.type(`kubectl get nodepool ${name} -o json --show-managed-fields`))
      const type = (object: NodePool): Promise<string> =>
        shell.type(`${apply} -f - <<'END'\n${JSON.stringify(object)}\nEND`)

      await type(manifest({ 'joinery.dev/retire': name, note: 'x' }, { team: 'web', tier: 'front' }))
      await shell.type(`kubectl annotate nodepool ${name} joinery.dev/pause-until=2030-01-01T00:00:00Z`)
      const before = await read()
      const after = manifest({ note: 'x' }, { tier: 'front' })
      const nothing = { nodePools: [], nodeClasses: [], nodeOverlays: [], rolloutPolicies: [] }
      const planned = [before, redact(before)].map((present) => {
        const { objects, proposed } = propose(
          { ...nothing, nodePools: [present] },
          { ...nothing, nodePools: [after] },
          { prune: false },
        )
        return { change: objects[0]?.change, metadata: redact(proposed.nodePools[0] ?? before).metadata }
      })
      await type(after)
      const { annotations, labels, generation } = redact(await read()).metadata
      expect(annotations).toEqual({ note: 'x', 'joinery.dev/pause-until': '2030-01-01T00:00:00Z' })
      for (const { change, metadata } of planned) {
        expect(change).toBe('changed')
        expect(metadata).toMatchObject({ generation })
        expect([metadata.annotations, metadata.labels]).toEqual([annotations, labels])
      }
    },
    60_000,
  )
})
