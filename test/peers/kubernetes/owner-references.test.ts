import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import type { OwnerReference } from '../../../src/api/kubernetes.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { aClaim, aNode } from '../../support/controller-builders.ts'
import { connect } from '../support/client.ts'
import { installCRDs } from '../support/crds.ts'
import { aNodePool } from '../support/fleet-manifests.ts'
import { describeWithPeers } from '../support/peers.ts'
import { installRBAC, operatorAccount } from '../support/shipped.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const owning = (kind: string, { metadata }: { metadata: { name: string; uid: string } }): OwnerReference => ({
  apiVersion: 'karpenter.sh/v1',
  kind,
  name: metadata.name,
  uid: metadata.uid,
  blockOwnerDeletion: true,
})

/** Where OwnerReferencesPermissionEnforcement is on, as in OpenShift. */
await describeWithPeers('owners whose deletion waits', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()
  let admin: HTTPClient
  let pool: NodePool
  const clients: HTTPClient[] = []
  const as = async (namespace: string, name: string): Promise<HTTPClient> => {
    const client = connect(await controlPlane().serviceAccountKubeconfig(namespace, name))
    clients.push(client)
    return client
  }
  const claimOf = (name: string) => aClaim(name, { metadata: { ownerReferences: [owning('NodePool', pool)] } })
  beforeAll(async () => {
    await installCRDs(controlPlane())
    await installRBAC(controlPlane())
    admin = connect(controlPlane().kubeconfig)
    clients.push(admin)
    pool = await admin.create(nodePools, aNodePool())
  })
  afterAll(async () => {
    for (const client of clients) await client.close()
  })

  test('the rights that ship let a claim belong to its pool, and a node to its claim', async () => {
    const operator = await as(operatorAccount.namespace, operatorAccount.name)
    const claim = await operator.create(nodeClaims, claimOf('ours'))
    await admin.create(nodes, aNode('ours'))
    const owned = { metadata: { ownerReferences: [owning('NodeClaim', claim)] } }
    const node = await operator.patch(nodes, { name: 'ours' }, { kind: 'merge', body: owned })
    expect(node.metadata.ownerReferences).toEqual(owned.metadata.ownerReferences)
  })

  test('rights on claims alone are not enough here', async () => {
    const steps = [
      ['create', 'clusterrole', 'claims', '--verb=create,delete', '--resource=nodeclaims.karpenter.sh'],
      ['create', 'clusterrolebinding', 'claims', '--clusterrole=claims', '--serviceaccount=default:claims'],
    ]
    for (const step of steps) expect(await controlPlane().kubectl(step)).toMatchObject({ code: 0 })
    const other = await as('default', 'claims')
    await expect(other.create(nodeClaims, claimOf('theirs'))).rejects.toThrow('cannot set blockOwnerDeletion')
  })
})
