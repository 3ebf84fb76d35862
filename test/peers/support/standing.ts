import { conditionOf } from '../../../src/api/conditions.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import type { MotoAccount } from './moto-account.ts'

/** Under which version the class's hash on a claim was computed: Karpenter 1.14 writes v5, we write v6. */
const hashVersion = 'karpenter.k8s.aws/ec2nodeclass-hash-version'

/** What a switch of operators must not change: claims, nodes, instances, which claims are drifted, and where each pod runs. */
export async function standing(kube: KubeClient, account: Pick<MotoAccount, 'liveInstances'>): Promise<unknown> {
  const claims = (await kube.list(nodeClaims)).items
  const drifted = claims.filter((claim) => conditionOf(claim, 'Drifted')?.status === 'True')
  const placed = (await kube.list(pods, { namespace: 'default' })).items
  return {
    claims: Object.fromEntries(claims.map(({ metadata, status }) => [metadata.uid, status?.providerID])),
    drifted: drifted.map(({ metadata }) => metadata.name),
    nodes: Object.fromEntries(
      (await kube.list(nodes)).items.map(({ metadata, spec }) => [
        metadata.uid,
        // Those of Kubernetes come and go with what kubelets report.
        (spec.taints ?? []).filter(({ key }) => !key.startsWith('node.kubernetes.io/')),
      ]),
    ),
    instances: (await account.liveInstances()).map(({ InstanceId = '' }) => InstanceId).toSorted(),
    pods: Object.fromEntries(placed.map(({ metadata, spec }) => [metadata.uid, spec.nodeName])),
  }
}

/** Of every claim. */
export async function hashVersions(kube: KubeClient): Promise<readonly (string | undefined)[]> {
  return (await kube.list(nodeClaims)).items.map(({ metadata }) => metadata.annotations?.[hashVersion])
}
