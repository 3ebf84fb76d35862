import { expect, test, beforeAll, afterAll } from 'vitest'
import type { Node, Pod, Taint, Unsaved } from '../../../src/api/kubernetes.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { keyOf } from '../../../src/kube/resource.ts'
import { connect } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

/**
 * What the operator relies on when it nominates pods for the nodes that it planned for them. Left alone kube-scheduler spoils this plan
 * when it takes the small pods first, since they get the room of the large one; `npm run bench:following` shows how often.
 */
const plan = {
  large: { cpu: 4, pods: { big: 3, small0: 1 } },
  little: { cpu: 2, pods: { small1: 1, small2: 1 } },
} as const
const unready: Taint = { key: 'example.com/starting', effect: 'NoSchedule' }
const namespace = 'default'

await describeWithPeers('what kube-scheduler makes of nominations', ['kube-apiserver', 'kube-scheduler'], () => {
  const controlPlane = useControlPlane({ scheduler: 'run' })
  let kube: HTTPClient
  beforeAll(async () => {
    kube = connect(controlPlane().kubeconfig)
    // A pod that nothing but taints has refused is not tried again when another tainted node comes; where a node was refused for its
    // labels it is, since one with the right labels may help.
    await kube.create(nodes, aNode('bystander', 1))
    await untaint('bystander')
  })
  afterAll(() => kube.close())

  test('a pod goes where it was nominated for while its node was starting, and others leave its room to it', async () => {
    const batch = await aBatch('nominated')
    await batch.nominateAll()
    await batch.start()
    await eventually('all are bound', async () => (await batch.placed()).size === 4)
    expect(await batch.placed()).toEqual(batch.planned)
  })

  test('a pod that was tried in vain loses its nomination, and can be given it again', async () => {
    const batch = await aBatch('again')
    await batch.nominateAll()
    // Something that may help wakes the pods, but their nodes are not ready.
    await batch.node('other', 1, [unready])
    await eventually('the nominations are gone', async () => (await batch.nominations()).size === 0)
    await batch.nominateAll()
    await batch.start()
    await eventually('all are bound', async () => (await batch.placed()).size === 4)
    expect(await batch.placed()).toEqual(batch.planned)
  })

  test('a nomination for a node that is gone keeps no pod from another one', async () => {
    const batch = await aBatch('gone')
    await batch.nominate('small0', 'gone-nowhere')
    await batch.start()
    await eventually('it is bound', async () => (await batch.nodeOf('small0')) !== '')
  })

  /** Of its own taints, and of the one that the API server gives every new node. */
  async function untaint(name: string): Promise<void> {
    await kube.patch(nodes, { name }, { kind: 'merge', body: { spec: { taints: null } } })
  }

  let witnesses = 0
  /** Pods come to the scheduler in order: when it has tried one that fits nowhere, it knows what was written to others before. */
  async function noticed(): Promise<void> {
    witnesses += 1
    const witness = await kube.create(pods, aPod('none', `witness${witnesses}`, 1))
    await eventually('a later pod has been tried', async () =>
      ((await kube.get(pods, keyOf(witness))).status?.conditions ?? []).some(({ status }) => status === 'False'),
    )
  }

  async function aBatch(name: string) {
    const planned = new Map<string, string>()
    const node = async (kind: string, cpu: number, taints: Taint[]) => {
      await kube.create(nodes, aNode(`${name}-${kind}`, cpu, { labels: { batch: name }, taints }))
    }
    for (const [kind, { pods: its }] of Object.entries(plan)) {
      for (const pod of Object.keys(its)) planned.set(pod, `${name}-${kind}`)
    }
    // The small ones first: they are tried first.
    for (const [pod, cpu] of Object.entries({ ...plan.little.pods, ...plan.large.pods }).toSorted(
      (a, b) => a[1] - b[1],
    )) {
      await kube.create(pods, aPod(name, pod, cpu))
    }
    const all = async () => (await kube.list(pods, { namespace, labelSelector: `batch=${name}` })).items
    const short = ({ metadata }: Pod) => metadata.name.slice(name.length + 1)
    const allTried = (message: RegExp) => async () =>
      (await all()).every(({ status }) =>
        status?.conditions?.some((condition) => message.test(condition.message ?? '')),
      )
    for (const [kind, { cpu }] of Object.entries(plan)) await node(kind, cpu, [unready])
    // Nominations from before would lapse with this try.
    await eventually('all have been tried on the new nodes', allTried(/[2-9] node\(s\) had untolerated taint/))
    const nominate = async (pod: string, nominatedNodeName: string) => {
      await kube.patch(
        pods,
        { namespace, name: `${name}-${pod}` },
        { kind: 'merge', body: { status: { nominatedNodeName } } },
        { subresource: 'status' },
      )
    }
    return {
      planned,
      node,
      nominate,
      nominateAll: async () => {
        for (const [pod, to] of planned) await nominate(pod, to)
        await noticed()
      },
      start: async () => {
        for (const kind of Object.keys(plan)) await untaint(`${name}-${kind}`)
      },
      nominations: async () =>
        new Set((await all()).filter(({ status }) => (status?.nominatedNodeName ?? '') !== '').map(short)),
      nodeOf: async (pod: string) => (await kube.get(pods, { namespace, name: `${name}-${pod}` })).spec.nodeName ?? '',
      placed: async () =>
        new Map(
          (await all())
            .filter(({ spec }) => (spec.nodeName ?? '') !== '')
            .map((pod) => [short(pod), pod.spec.nodeName ?? '']),
        ),
    }
  }
})

function aNode(
  name: string,
  cpu: number,
  { labels = {}, taints = [] }: { readonly labels?: Record<string, string>; readonly taints?: Taint[] } = {},
): Unsaved<Node> {
  const amounts = { cpu: `${cpu}`, memory: '8Gi', pods: '10' }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    spec: { taints },
    status: { allocatable: amounts, capacity: amounts },
  }
}

function aPod(batch: string, name: string, cpu: number): Unsaved<Pod> {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${batch}-${name}`, namespace, labels: { batch } },
    spec: {
      nodeSelector: { batch },
      containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: `${cpu}` } } }],
    },
  }
}
