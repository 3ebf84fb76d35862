import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { argoHealth, argoSettings, fluxHealth } from '../../support/gitops-health.ts'
import { runLua } from '../../support/run-lua.ts'

type ConditionText = readonly [type: string, status: string, message?: string, observedGeneration?: number]

function anObject(conditions: readonly ConditionText[] | undefined, more: object = {}, metadata: object = {}) {
  return {
    metadata: { name: 'default', generation: 3, ...metadata },
    spec: {},
    ...(conditions === undefined
      ? {}
      : {
          status: {
            conditions: conditions.map(([type, status, message = '', observedGeneration]) => ({
              type,
              status,
              reason: `${type}Reason`,
              message,
              lastTransitionTime: '2026-01-01T00:00:00Z',
              ...(observedGeneration === undefined ? {} : { observedGeneration }),
            })),
            ...more,
          },
        }),
  }
}

/** The interpreter of this test knows local time only. */
const timeZoneMs = 15 * 3_600_000

const ready: ConditionText = ['Ready', 'True']

/** Objects as an unmodified Karpenter leaves them, and as we do. */
const both: Record<string, { kind: string; object: object; want: string; says?: RegExp }> = {
  'a NodePool of Karpenter that is ready': {
    kind: 'NodePool',
    object: anObject([['ValidationSucceeded', 'True'], ['NodeClassReady', 'True'], ready]),
    want: 'Healthy',
  },
  'a NodePool that nobody has looked at': { kind: 'NodePool', object: anObject(undefined), want: 'Progressing' },
  'a NodePool whose class is not there': {
    kind: 'NodePool',
    object: anObject([['Ready', 'False', 'NodeClass not found on cluster', 3]]),
    want: 'Degraded',
    says: /NodeClass not found on cluster/,
  },
  'a NodePool that was changed since': {
    kind: 'NodePool',
    object: anObject([['Ready', 'True', '', 2]]),
    want: 'Progressing',
  },
  'a NodePool whose readiness is unknown': {
    kind: 'NodePool',
    object: anObject([['Ready', 'Unknown', 'object is awaiting reconciliation']]),
    want: 'Progressing',
    says: /awaiting reconciliation/,
  },
  'a NodePool whose nodes are being replaced': {
    kind: 'NodePool',
    object: anObject([ready, ['Reconciling', 'True', '3 of 10 nodes are up to date']]),
    want: 'Progressing',
    says: /3 of 10/,
  },
  'a NodePool whose change has not been looked at for its nodes': {
    kind: 'NodePool',
    object: anObject([
      ['Ready', 'True', '', 3],
      ['Reconciling', 'False', 'every node is as it is wanted', 2],
    ]),
    want: 'Progressing',
  },
  'a NodePool whose nodes are all replaced': {
    kind: 'NodePool',
    object: anObject([
      ['Ready', 'True', '', 3],
      ['Reconciling', 'False', 'every node is as it is wanted', 3],
      ['Stalled', 'False', '', 3],
    ]),
    want: 'Healthy',
  },
  'a NodePool whose nodes are held back for too long': {
    kind: 'NodePool',
    object: anObject([
      ready,
      ['Reconciling', 'True', '1 of 10 nodes to be replaced', 3],
      ['Stalled', 'True', '1 node(s) blocked by a budget', 3],
    ]),
    want: 'Degraded',
    says: /blocked by a budget/,
  },
  'a NodePool that was stuck before it was changed': {
    kind: 'NodePool',
    object: anObject([
      ready,
      ['Reconciling', 'True', '1 of 10 nodes to be replaced', 2],
      ['Stalled', 'True', '1 node(s) blocked by a budget', 2],
    ]),
    want: 'Progressing',
  },
  'an EC2NodeClass whose new image is on its way': {
    kind: 'EC2NodeClass',
    object: anObject([ready, ['Reconciling', 'True', '2 of 9 nodes to be replaced', 3]]),
    want: 'Progressing',
    says: /2 of 9/,
  },
  'a NodePool whose rollout is stuck': {
    kind: 'NodePool',
    object: anObject([ready, ['Stalled', 'True', 'the canary did not become ready']]),
    want: 'Degraded',
    says: /canary/,
  },
  'an EC2NodeClass of Karpenter that is ready': {
    kind: 'EC2NodeClass',
    object: anObject([['AMIsReady', 'True'], ['SubnetsReady', 'True'], ready]),
    want: 'Healthy',
  },
  'an EC2NodeClass without subnets': {
    kind: 'EC2NodeClass',
    object: anObject([
      ['SubnetsReady', 'False', 'SubnetSelector did not match any Subnets'],
      ['Ready', 'False', 'SubnetsReady=False'],
    ]),
    want: 'Degraded',
    says: /SubnetsReady=False/,
  },
  'a RolloutPolicy that is ready and idle': {
    kind: 'RolloutPolicy',
    object: anObject([ready], { phase: 'Idle' }),
    want: 'Healthy',
  },
}

test('every kind has a health check', () => {
  const keys = customResourceDefinitions.map(
    ({ spec }) => `resource.customizations.health.${spec.group}_${spec.names.kind}`,
  )
  expect(Object.keys(argoSettings)).toEqual(expect.arrayContaining(keys))
})

describe('Argo CD, by its Lua', () => {
  test.each(Object.entries(both))('%s', (_name, { kind, object, want, says }) => {
    const health = argoHealth(kind, object)
    expect(health.status).toBe(want)
    if (says !== undefined) expect(health.message).toMatch(says)
  })

  const own: Record<string, [kind: string, object: object, want: string]> = {
    'a NodePool whose nodes do not register': [
      'NodePool',
      anObject([ready, ['NodeRegistrationHealthy', 'False']]),
      'Degraded',
    ],
    'a pool that is paused': [
      'NodePool',
      anObject([ready], {}, { annotations: { 'joinery.dev/pause-until': '2026-01-02T00:00:00Z' } }),
      'Suspended',
    ],
    'a pool that is going': [
      'NodePool',
      anObject([ready], {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      'Progressing',
    ],
    'a claim of Karpenter that is up': [
      'NodeClaim',
      anObject([['Launched', 'True'], ['Registered', 'True'], ['Initialized', 'True'], ready]),
      'Healthy',
    ],
    'a claim whose launch is tried again': [
      'NodeClaim',
      anObject([['Launched', 'Unknown', 'no capacity']]),
      'Progressing',
    ],
    'a claim with two nodes': [
      'NodeClaim',
      anObject([
        ['Launched', 'True'],
        ['Registered', 'False', 'Invariant violated'],
      ]),
      'Degraded',
    ],
    'an overlay while its gate is off': ['NodeOverlay', anObject(undefined), 'Healthy'],
    'an overlay in conflict': [
      'NodeOverlay',
      anObject([['Ready', 'False', 'conflict with another overlay']]),
      'Degraded',
    ],
    'a buffer that is provisioned': ['CapacityBuffer', anObject([['ReadyForProvisioning', 'True']]), 'Healthy'],
    'a buffer that cannot be read': ['CapacityBuffer', anObject([['ReadyForProvisioning', 'False']]), 'Degraded'],
    'a rollout that waits for an approval': [
      'RolloutPolicy',
      anObject([ready], { phase: 'AwaitingApproval' }),
      'Suspended',
    ],
    'a rollout that halted': ['RolloutPolicy', anObject([ready], { phase: 'Halted' }), 'Degraded'],
    'a rollout on its way': ['RolloutPolicy', anObject([ready], { phase: 'Soaking' }), 'Progressing'],
  }
  test.each(Object.entries(own))('%s', (_name, [kind, object, want]) => {
    expect(argoHealth(kind, object).status).toBe(want)
  })
})

describe('Flux, by its expressions', () => {
  test.each(Object.entries(both))('%s', (_name, { kind, object, want }) => {
    expect(fluxHealth(kind, object)).toBe(want)
  })
})

describe('resource actions of a NodePool', () => {
  const actions = parse(argoSettings['resource.customizations.actions.karpenter.sh_NodePool'] ?? '') as {
    'discovery.lua': string
    definitions: { name: string; 'action.lua': string }[]
  }
  const discover = (object: object) =>
    runLua(actions['discovery.lua'], object) as Record<string, { disabled?: boolean }>
  const perform = (name: string, object: object) => {
    const script = actions.definitions.find((one) => one.name === name)?.['action.lua'] ?? ''
    return (runLua(script, object) as { metadata: { annotations?: Record<string, string> } }).metadata.annotations ?? {}
  }

  test('what is offered is what is defined', () => {
    expect(Object.keys(discover(anObject([ready]))).sort()).toEqual(actions.definitions.map(({ name }) => name).sort())
  })

  test('pause lasts a day; resume ends it', () => {
    const object = anObject([ready])
    expect(discover(object)).toMatchObject({ pause: { disabled: false }, resume: { disabled: true } })
    const annotations = perform('pause', object)
    const untilMs = Date.parse(annotations['joinery.dev/pause-until'] ?? '')
    expect(Math.abs(untilMs - Date.now() - 86_400_000)).toBeLessThan(timeZoneMs)
    const paused = anObject([ready], {}, { annotations: { ...annotations, other: 'kept' } })
    expect(discover(paused)).toMatchObject({ pause: { disabled: true }, resume: { disabled: false } })
    expect(perform('resume', paused)).toEqual({ other: 'kept' })
  })

  test('approve names what is waiting, and nothing else can be approved', () => {
    const waiting = anObject([ready], { rollout: { phase: 'AwaitingApproval', revision: '123-abc' } })
    expect(discover(waiting)['approve']).toEqual({ disabled: false })
    expect(perform('approve', waiting)).toEqual({ 'joinery.dev/approve': '123-abc' })
    expect(discover(anObject([ready], { rollout: { phase: 'Idle' } }))['approve']).toEqual({ disabled: true })
  })

  test('restart says since when, undo what to return to', () => {
    expect(Date.parse(perform('restart', anObject([ready]))['joinery.dev/restart-at'] ?? '')).not.toBeNaN()
    const changing = anObject([ready], { currentHash: '1', targetHash: '2' })
    expect(discover(changing)['undo']).toEqual({ disabled: false })
    expect(perform('undo', changing)).toEqual({ 'joinery.dev/undo-to': '1' })
    expect(discover(anObject([ready], { currentHash: '1', targetHash: '1' }))['undo']).toEqual({ disabled: true })
  })
})

test('differences in the bundle that the webhook keeps are ignored', () => {
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
    const text = argoSettings[`resource.customizations.ignoreDifferences.admissionregistration.k8s.io_${kind}`] ?? ''
    expect(parse(text)).toEqual({ jqPathExpressions: ['.webhooks[]?.clientConfig.caBundle'] })
  }
})
