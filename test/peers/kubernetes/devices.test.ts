import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KubeObject, Node, Unsaved } from '../../../src/api/kubernetes.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { deviceClasses, namespaces, nodes, pods, resourceClaims, resourceSlices } from '../../../src/kube/kinds.ts'
import {
  type DeviceCase,
  type DeviceWorld,
  deviceCases,
  isPlaced,
  namedClaim,
  differingCases,
  worldOf,
} from '../../support/device-cases/index.ts'
import { randomDeviceCase } from '../../support/random-devices.ts'
import { connect } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const namespace = 'default'
/** Any devices and claims, for which nobody has written down what is right. */
const random: Record<string, DeviceCase> = Object.fromEntries(
  Array.from({ length: 60 }, (_, index) => [`random ${index + 1}`, randomDeviceCase(new SeededRandom(index + 1))]),
)
const cases: Record<string, DeviceCase> = { ...deviceCases, ...differingCases, ...random }
const ids = new Map(Object.keys(cases).map((name, index) => [name, `case-${index}`]))

/** What the unit tests say of these slices, classes and claims, kube-scheduler has to say, too. */
await describeWithPeers('devices as by kube-scheduler', ['kube-apiserver', 'kube-scheduler'], () => {
  const controlPlane = useControlPlane({ scheduler: 'run' })
  let kube: HTTPClient
  beforeAll(async () => {
    kube = connect(controlPlane().kubeconfig)
    const body = { metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } }
    await kube.patch(namespaces, { name: namespace }, { kind: 'merge', body })
    const worlds = Object.entries(cases).map(([name, given]) => [idOf(name), worldOf(idOf(name), given)] as const)
    for (const [id, world] of worlds) await publish(id, world)
    // The scheduler has to have heard of all that before it judges.
    await sleep(2_000)
    for (const [id, world] of worlds) await createPod(id, world)
  })
  afterAll(() => kube.close())

  test.each(Object.entries(deviceCases))('%s', async (name, { refused }) => {
    expect((await theirs(idOf(name))) === 'placed').toBe(refused !== true)
  })

  test.each(Object.keys(differingCases))('%s', async (name) => {
    expect(await theirs(idOf(name))).not.toBe('placed')
  })

  test.each(Object.entries(random))('%s', async (name, given) => {
    expect((await theirs(idOf(name))) === 'placed').toBe(isPlaced(idOf(name), given))
  })

  async function publish(id: string, { slices, claims, classes }: DeviceWorld): Promise<void> {
    const amounts = { cpu: '4', memory: '8Gi', pods: '10' }
    await kube.create(nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: id, labels: { case: id, 'kubernetes.io/hostname': id } },
      spec: {},
      status: { allocatable: amounts, capacity: amounts },
    } satisfies Unsaved<Node>)
    await kube.patch(nodes, { name: id }, { kind: 'merge', body: { spec: { taints: null } } })
    for (const one of classes) await kube.create(deviceClasses, unsaved(one))
    for (const one of slices) await kube.create(resourceSlices, unsaved(one))
    for (const one of claims) {
      await kube.create(resourceClaims, unsaved(one))
      const target = { namespace, name: one.metadata.name }
      if (one.status === undefined) continue
      await kube.patch(
        resourceClaims,
        target,
        { kind: 'merge', body: { status: one.status } },
        { subresource: 'status' },
      )
    }
  }

  async function createPod(id: string, { claimNames }: DeviceWorld): Promise<void> {
    await kube.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: id, namespace },
      spec: {
        nodeSelector: { case: id },
        resourceClaims: claimNames.map(namedClaim),
        containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '1' } } }],
      },
    })
  }

  /** `placed`, or why not. */
  async function theirs(name: string): Promise<string> {
    let verdict: string | undefined
    await eventually('it has been tried', async () => {
      const { spec, status } = await kube.get(pods, { namespace, name })
      const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled')
      verdict = spec.nodeName === undefined ? (condition?.status === 'False' ? condition.message : undefined) : 'placed'
      return verdict !== undefined
    })
    return verdict ?? ''
  }
})

function idOf(name: string): string {
  return ids.get(name) ?? ''
}

/** As one writes it, without what the server fills in. */
function unsaved<T extends KubeObject>({ metadata: { name, namespace: its }, ...rest }: T): Unsaved<T> {
  return { ...rest, metadata: { name, ...(its === undefined ? {} : { namespace: its }) } } as Unsaved<T>
}
