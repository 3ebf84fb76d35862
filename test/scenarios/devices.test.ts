import { expect, test } from 'vitest'
import { conditionOf } from '../../src/api/conditions.ts'
import type { KubeObject, Pod, ResourceSlice, Unsaved } from '../../src/api/kubernetes.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import * as kinds from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import {
  aDeviceClass,
  allocated,
  aRequest,
  aResourceClaim,
  aSlice,
  devices,
  driver,
} from '../support/device-objects.ts'
import { aFleet, anEmbeddedOperator } from '../support/embedded-operator.ts'

const instanceType = 'm7i.2xlarge'

/** Of a scheduler that is not there: whether it could place the pod, and where, the test says. */
function aPodWith(
  claim: string,
): Pick<Pod, 'apiVersion' | 'kind' | 'spec'> & { metadata: { name: string; namespace: string } } {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `uses-${claim}`, namespace: 'default' },
    spec: {
      schedulerName: 'by-hand',
      nodeSelector: { 'node.kubernetes.io/instance-type': instanceType },
      resourceClaims: [{ name: 'gpu', resourceClaimName: claim }],
      containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu: '1' }, claims: [{ name: 'gpu' }] } }],
    },
  }
}

function published(nodeName: string): ResourceSlice {
  return aSlice(nodeName, devices(1), { nodeName })
}

/** As one writes it, without what the server fills in. */
function unsaved<T extends KubeObject>({ metadata: { name, namespace }, ...rest }: T): Unsaved<T> {
  return { ...rest, metadata: { name, ...(namespace === undefined ? {} : { namespace }) } } as Unsaved<T>
}

async function newest(client: KubeClient) {
  const { items } = await client.list(nodeClaims)
  return items
    .toSorted((a, b) => Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp))
    .at(-1)
}

test('a pod with a resource claim gets a node of a type that has such devices, which counts as ready once its driver is', async () => {
  const { cluster, operator, stop } = await anEmbeddedOperator({ ignoreDRARequests: false })
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    await client.create(kinds.deviceClasses, unsaved(aDeviceClass()))
    // A node of the type is there, and its one device is taken.
    const first = await client.create(kinds.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'first', namespace: 'default' },
      spec: {
        nodeSelector: { 'node.kubernetes.io/instance-type': instanceType },
        containers: [{ name: 'main', image: 'main:1', resources: { requests: { cpu: '4' } } }],
      },
    })
    await clock.run({ forMs: 120_000 })
    const there = (await newest(client))?.status?.nodeName ?? ''
    expect(there).not.toBe('')
    await client.create(kinds.resourceSlices, unsaved(published(there)))
    const taken = aResourceClaim('taken', { allocation: allocated(there, 'gpu-0'), reservedFor: [first.metadata.uid] })
    await client.create(kinds.resourceClaims, unsaved(taken))
    await client.patch(
      kinds.resourceClaims,
      { namespace: 'default', name: 'taken' },
      { kind: 'merge', body: { status: taken.status } },
      { subresource: 'status' },
    )

    await client.create(kinds.resourceClaims, unsaved(aResourceClaim('wanted', { requests: [aRequest()] })))
    await client.create(kinds.pods, aPodWith('wanted'))
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }]
    await client.patch(
      kinds.pods,
      { namespace: 'default', name: 'uses-wanted' },
      { kind: 'merge', body: { status: { conditions } } },
      { subresource: 'status' },
    )
    await clock.run({ forMs: 120_000 })
    const claim = await newest(client)
    const nodeName = claim?.status?.nodeName ?? ''
    expect(nodeName).not.toBe(there)
    expect(claim?.metadata.annotations?.['karpenter.sh/requested-dra-drivers']).toBe(driver)
    expect(claim === undefined ? undefined : conditionOf(claim, 'Initialized')).toMatchObject({
      status: 'Unknown',
      reason: 'DRADriverPoolsNotPublished',
      message: `DRA driver "${driver}" has not published a complete resource pool`,
    })
    // The node that is on its way is the pod's: no other is launched for it meanwhile.
    expect((await client.list(nodeClaims)).items).toHaveLength(2)

    await client.create(kinds.resourceSlices, unsaved(published(nodeName)))
    await clock.run({ forMs: 30_000 })
    const ready = await newest(client)
    expect(ready === undefined ? undefined : conditionOf(ready, 'Initialized')?.status).toBe('True')
    expect(operator.state.byNodeName(nodeName)?.initialized).toBe(true)
  } finally {
    await stop()
  }
})
