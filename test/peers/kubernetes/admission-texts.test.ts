import { beforeAll, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { admit, type CompiledCustomResource, compileVersion } from '../../../src/api/validation/index.ts'
import { apiCases, caseObject, caseTitle, type CaseKind } from '../../support/api-cases.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

interface Cause {
  readonly reason: string
  readonly field: string
  readonly message: string
}

interface Sent {
  readonly path: string
  readonly object: {
    readonly apiVersion: string
    readonly kind: string
    readonly metadata: object
    readonly spec: object
  }
}

const paths: Readonly<Record<CaseKind, string>> = {
  NodePool: '/apis/karpenter.sh/v1/nodepools',
  NodeClaim: '/apis/karpenter.sh/v1/nodeclaims',
  NodeOverlay: '/apis/karpenter.sh/v1alpha1/nodeoverlays',
  EC2NodeClass: '/apis/karpenter.k8s.aws/v1/ec2nodeclasses',
}

function rolloutPolicy(name: string, spec: object): Sent {
  return {
    path: '/apis/joinery.dev/v1alpha1/rolloutpolicies',
    object: { apiVersion: 'joinery.dev/v1alpha1', kind: 'RolloutPolicy', metadata: { name }, spec },
  }
}

function capacityBuffer(name: string, spec: object): Sent {
  return {
    path: '/apis/autoscaling.x-k8s.io/v1beta1/namespaces/default/capacitybuffers',
    object: {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name, namespace: 'default' },
      spec,
    },
  }
}

const more: Record<string, Sent> = {
  'a step of no nodes': rolloutPolicy('a', { nodePoolSelector: {}, steps: [{ nodes: 0 }] }),
  'a step of too large a share': rolloutPolicy('b', { nodePoolSelector: {}, steps: [{ nodes: '101%' }] }),
  'names beside labels': rolloutPolicy('c', { nodePoolSelector: { names: ['a'], matchLabels: { a: 'b' } } }),
  'an operator without values': rolloutPolicy('d', {
    nodePoolSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] },
  }),
  'dates the wrong way round': rolloutPolicy('e', {
    nodePoolSelector: {},
    blackoutDates: [{ from: '2026-12-24', to: '2026-12-23' }],
  }),
  'a full policy': rolloutPolicy('f', {
    nodePoolSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
    mode: 'Approve',
    steps: [{ nodes: 1, soak: '10m', approval: true }, { nodes: '50%' }],
    gates: { maxFailedNodes: '10%', nodeConditions: [{ type: 'GPUReady' }] },
    windows: [{ schedule: '0 9 * * mon-fri', duration: '8h', timeZone: 'Europe/Berlin' }],
    rate: { nodes: 2, per: '1h' },
    pausedUntil: '2026-01-01T00:00:00Z',
  }),
  'a policy without a selector, paused until no time': rolloutPolicy('g', { pausedUntil: 'soon' }),
  'a buffer without an amount': capacityBuffer('a', { podTemplateRef: { name: 'x' } }),
  'a buffer of two sources': capacityBuffer('b', {
    podTemplateRef: { name: 'x' },
    scalableRef: { kind: 'Deployment', name: 'y' },
    replicas: -1,
  }),
  'a buffer': capacityBuffer('c', {
    scalableRef: { kind: 'Deployment', name: 'y' },
    percentage: 10,
    limits: { cpu: '1' },
  }),
}

const created: Record<string, Sent> = {
  ...Object.fromEntries(
    apiCases
      .filter(({ old }) => old === undefined)
      .map((one) => [
        caseTitle(one),
        { path: paths[one.kind], object: caseObject(one.kind, one.change, `text-${one.number}`) },
      ]),
  ),
  ...more,
}

await describeWithPeers('our refusals read like those of a real API server', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  beforeAll(() => installCRDs(controlPlane()))

  test.each(Object.entries(created))('%s', async (_title, { path, object }) => {
    const { body } = await controlPlane().request('POST', path, object)
    const { details } = body as { readonly details?: { readonly causes?: readonly Cause[] } }
    const ours = admit(resourceOf(object), object).errors.map(({ type, path: field, body: message }) => ({
      reason: type,
      field,
      message,
    }))
    expect(ours).toEqual(details?.causes ?? [])
  })
})

function resourceOf({ apiVersion, kind }: Sent['object']): CompiledCustomResource {
  const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === kind)
  const compiled = definition === undefined ? undefined : compileVersion(definition, apiVersion.split('/')[1] ?? '')
  if (compiled === undefined) throw new Error(`${apiVersion} ${kind} is not served`)
  return compiled
}
