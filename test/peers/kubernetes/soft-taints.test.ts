import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Node, Pod, PodSpec, Taint, Unsaved } from '../../../src/api/kubernetes.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { connect } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const namespace = 'default'

/** docs/compatibility.md says so of kube-scheduler, and the solver plans by it. */
await describeWithPeers('spreads and taints, by kube-scheduler', ['kube-apiserver', 'kube-scheduler'], () => {
  const controlPlane = useControlPlane({ scheduler: 'run' })
  let kube: HTTPClient
  beforeAll(() => {
    kube = connect(controlPlane().kubeconfig)
  })
  afterAll(() => kube.close())

  // The node in zone a has no room. Where its zone counts it has no pod, so that zone b may have one more and no second.
  test.each<[Taint['effect'], number]>([
    ['PreferNoSchedule', 1],
    ['NoSchedule', 2],
  ])(
    'beside a full node with the taint %s a spread that honours taints lets %i pods into the other zone',
    async (effect, places) => {
      const app = effect.toLowerCase()
      const taint: Taint = { key: 'k', value: 'v', effect }
      for (const shape of [
        { zone: `${app}-a`, cpu: '100m', taints: [taint] },
        { zone: `${app}-b`, cpu: '4', taints: [] },
      ]) {
        await kube.create(nodes, aNode({ app, ...shape }))
        // The API server adds that the node is not ready, and nobody here takes it off.
        const body = { spec: { taints: shape.taints } }
        await kube.patch(nodes, { name: shape.zone }, { kind: 'merge', body })
      }
      for (const name of [`${app}-1`, `${app}-2`]) await kube.create(pods, spreadPod(name, app))
      const own = async (): Promise<readonly Pod[]> =>
        (await kube.list(pods, { namespace })).items.filter(({ metadata }) => metadata.labels?.['app'] === app)
      // A pod that was tried before its scheduler had heard of the nodes is tried again.
      await eventually('one is bound, and the other as well or refused for the spread', async () => {
        const all = await own()
        const settled = all.filter(({ spec, status }) => {
          const told = status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? ''
          return (spec.nodeName ?? '') !== '' || told.includes('topology spread constraints')
        })
        return settled.length === 2 && settled.some(({ spec }) => (spec.nodeName ?? '') !== '')
      })
      const bound = (await own()).flatMap(({ spec }) => spec.nodeName ?? [])
      expect(bound).toEqual(Array.from({ length: places }, () => `${app}-b`))
    },
  )
})

interface NodeShape {
  readonly zone: string
  readonly app: string
  readonly cpu: string
  readonly taints: readonly Taint[]
}

function aNode({ zone, app, cpu, taints }: NodeShape): Unsaved<Node> {
  const room = { cpu, memory: '8Gi', pods: '20' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: zone, labels: { 'topology.kubernetes.io/zone': zone, app } },
    spec: { taints: [...taints] },
    status: { capacity: room, allocatable: room, conditions: [{ type: 'Ready', status: 'True' }] },
  }
}

function spreadPod(name: string, app: string): Unsaved<Pod> {
  const spec: PodSpec = {
    containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '1' } } }],
    nodeSelector: { app },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        nodeTaintsPolicy: 'Honor',
        labelSelector: { matchLabels: { app } },
      },
    ],
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { app } }, spec }
}
