import { afterAll, beforeAll, expect, test } from 'vitest'
import { isConditionTrue } from '../../../src/api/conditions.ts'
import { ec2NodeClasses, nodeOverlays, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { argoDiff } from '../support/argo-diff.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: object; readonly annotations?: object }
  readonly spec: object
}

/** As people write them: little of what there is, and values in other than their shortest form. */
function manifests(name: string): readonly { readonly resource: Resource; readonly manifest: Manifest }[] {
  const metadata = { name, annotations: { 'argocd.argoproj.io/tracking-id': `nodes:group/Kind:argocd/${name}` } }
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name }
  const requirements = [{ key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] }]
  return [
    {
      resource: ec2NodeClasses,
      manifest: {
        ...aNodeClass('v20260101'),
        apiVersion: 'karpenter.k8s.aws/v1',
        kind: 'EC2NodeClass',
        metadata,
        spec: {
          ...aNodeClass('v20260101').spec,
          blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '50Gi', volumeType: 'gp3' } }],
          kubelet: { maxPods: 50, systemReserved: { cpu: '0.1', memory: '1024Mi' } },
          metadataOptions: { httpPutResponseHopLimit: 2 },
          userData: '#!/bin/bash\necho "a node of Git"\n',
          tags: { team: 'shop' },
        },
      },
    },
    {
      resource: nodePools,
      manifest: {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata,
        spec: {
          limits: { cpu: 1000, memory: '1048576Mi' },
          weight: 10,
          disruption: {
            consolidateAfter: '60s',
            budgets: [{ nodes: '10%' }, { nodes: '0', schedule: '@daily', duration: '480m', reasons: ['Drifted'] }],
          },
          template: {
            metadata: { labels: { team: 'shop' } },
            spec: {
              nodeClassRef,
              expireAfter: '1440h',
              terminationGracePeriod: '90m',
              taints: [{ key: 'team', value: 'shop', effect: 'NoSchedule' }],
              requirements: [
                ...requirements,
                { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
                { key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64'] },
              ],
            },
          },
        },
      },
    },
    {
      resource: nodePools,
      manifest: {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { ...metadata, name: `${name}-bare` },
        spec: { template: { spec: { nodeClassRef, requirements } } },
      },
    },
    {
      resource: rolloutPolicies,
      manifest: {
        apiVersion: 'joinery.dev/v1alpha1',
        kind: 'RolloutPolicy',
        metadata,
        spec: {
          nodePoolSelector: { names: [name, `${name}-bare`] },
          mode: 'Approve',
          steps: [{ nodes: 1, soak: '1800s' }, { nodes: '20%' }],
          gates: { nodeReadyTimeout: '10m' },
          rate: { nodes: 10, per: '60m' },
        },
      },
    },
    {
      resource: nodeOverlays,
      manifest: {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'NodeOverlay',
        metadata,
        spec: { requirements, priceAdjustment: '+10%', capacity: { 'example.com/license': 1 } },
      },
    },
  ]
}

const ways = {
  'a client-side apply': { name: 'client', args: ['apply', '-f', '-'] },
  'a server-side apply': {
    name: 'server',
    args: ['apply', '--server-side', '--field-manager=argocd-controller', '-f', '-'],
  },
}

await describeWithPeers(
  'what Argo CD calls out of sync, by gitops-engine',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto', 'argo-diff'],
  () => {
    let world: RealWorld
    beforeAll(async () => {
      world = await startRealWorld()
      await world.startOperator('--feature-gates=NodeOverlay=true')
    })
    reportFailures(() => world.report())
    afterAll(async () => {
      await world.stop()
    })

    const live = (resource: Resource, name: string): Promise<KubeObject> => world.kube.get(resource, { name })

    async function applied(args: readonly string[], manifest: Manifest): Promise<KubeObject> {
      const result = await world.controlPlane.kubectl([...args, '-o', 'json'], { input: JSON.stringify(manifest) })
      if (result.code !== 0) throw new Error(result.stderr)
      return JSON.parse(result.stdout) as KubeObject
    }

    /** What an apply would make of an object, beside the object: of one version, however often the operator writes meanwhile. */
    async function compared(resource: Resource, manifest: Manifest, args: readonly string[]) {
      for (;;) {
        const before = await live(resource, manifest.metadata.name)
        const dryRun = await applied([...args, '--dry-run=server'], manifest)
        const after = await live(resource, manifest.metadata.name)
        if (before.metadata.resourceVersion === after.metadata.resourceVersion) {
          return { config: manifest, live: after, dryRun }
        }
      }
    }

    /** The operator has written what it writes of itself: finalizers, hashes, defaults of older versions, status. */
    async function isSeen(name: string): Promise<boolean> {
      const [nodeClass, pool, bare, policy] = await Promise.all([
        world.kube.get(ec2NodeClasses, { name }),
        world.kube.get(nodePools, { name }),
        world.kube.get(nodePools, { name: `${name}-bare` }),
        world.kube.get(rolloutPolicies, { name }),
      ])
      const hashes = [pool, bare].map(({ metadata }) => metadata.annotations?.['karpenter.sh/nodepool-hash'])
      return (
        isConditionTrue(nodeClass, 'Ready') &&
        nodeClass.metadata.annotations?.['karpenter.k8s.aws/ec2nodeclass-hash'] !== undefined &&
        isConditionTrue(pool, 'Ready') &&
        isConditionTrue(bare, 'Ready') &&
        hashes.every((hash) => hash !== undefined) &&
        policy.status?.phase !== undefined
      )
    }

    /** What people and `joinery rollout` write between two commits. */
    async function steer(name: string): Promise<void> {
      const pool = await world.kube.get(nodePools, { name })
      const annotations = {
        'joinery.dev/approve': pool.status?.target ?? '1-00000000',
        'joinery.dev/pause-until': '2030-01-01T00:00:00Z',
      }
      await world.kube.patch(nodePools, { name }, { kind: 'merge', body: { metadata: { annotations } } })
    }

    test.each(Object.entries(ways))(
      'nothing after %s, whatever webhook, operator and people have written since',
      async (_, way) => {
        const all = manifests(way.name)
        for (const { manifest } of all) await applied(way.args, manifest)
        await eventually('the operator has looked at everything', () => isSeen(way.name))
        await steer(way.name)
        const comparisons = await Promise.all(
          all.map(async ({ resource, manifest }) => ({
            config: manifest,
            live: await live(resource, manifest.metadata.name),
          })),
        )
        expect(await argoDiff(comparisons)).toEqual(all.map(() => ({ modified: false })))
      },
    )

    test('nor when the server compares', async () => {
      const { name, args } = ways['a server-side apply']
      const comparisons = []
      for (const { resource, manifest } of manifests(name)) {
        comparisons.push(await compared(resource, manifest, args))
      }
      expect(await argoDiff(comparisons)).toEqual(comparisons.map(() => ({ modified: false })))
    })

    test('an edit by hand, and only that', async () => {
      const { name } = ways['a client-side apply']
      const all = manifests(name)
      await world.kube.patch(nodePools, { name }, { kind: 'merge', body: { spec: { weight: 11 } } })
      const comparisons = await Promise.all(
        all.map(async ({ resource, manifest }) => ({
          config: manifest,
          live: await live(resource, manifest.metadata.name),
        })),
      )
      const verdicts = await argoDiff(comparisons)
      expect(all.filter((_, index) => verdicts[index]?.modified).map(({ manifest }) => manifest.kind)).toEqual([
        'NodePool',
      ])
    })
  },
)
