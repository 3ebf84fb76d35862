import { beforeAll, expect, test } from 'vitest'
import { type ApiCase, apiCases, caseObject, caseTitle, type CaseKind } from '../../support/api-cases.ts'
import type { ApiResponse } from '../support/api-request.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const paths: Readonly<Record<CaseKind, string>> = {
  NodePool: '/apis/karpenter.sh/v1/nodepools',
  NodeClaim: '/apis/karpenter.sh/v1/nodeclaims',
  NodeOverlay: '/apis/karpenter.sh/v1alpha1/nodeoverlays',
  EC2NodeClass: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
}

await describeWithPeers('a real API server with our CRDs judges as specified', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  beforeAll(() => installCRDs(controlPlane()))

  test.each(apiCases.map((one) => [caseTitle(one), one] as const))('%s', async (_title, one) => {
    const { status, body } = await judge(one)
    const message = String((body as { message?: unknown }).message)
    if (one.want === 'accepted') expect([200, 201], message).toContain(status)
    else expect([status, message]).toEqual([422, expect.stringContaining(one.want.refusal)])
  })

  async function judge({ number, kind, old, change }: ApiCase): Promise<ApiResponse> {
    const name = `case-${number}`
    const path = paths[kind]
    if (old === undefined) return controlPlane().request('POST', path, caseObject(kind, change, name))
    const stored = await controlPlane().request('POST', path, caseObject(kind, old, name))
    expect(stored.status).toBe(201)
    const { resourceVersion } = (stored.body as { metadata: { resourceVersion: string } }).metadata
    const next = caseObject(kind, { ...old, ...change, 'metadata.resourceVersion': resourceVersion }, name)
    return controlPlane().request('PUT', `${path}/${name}`, next)
  }
})
