import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { argoHealth, argoSettings, fluxHealth } from '../../support/gitops-health.ts'
import { runLua } from '../../support/run-lua.ts'

type ConditionText = readonly [
  type: string,
  status: string,
  message?: string,
  observedGeneration?: number,
  reason?: string,
]

function anObject(conditions: readonly ConditionText[] | undefined, more: object = {}, metadata: object = {}) {
  return {
    metadata: { name: 'default', generation: 3, ...metadata },
    spec: {},
    ...(conditions === undefined
      ? {}
      : {
          status: {
            conditions: conditions.map(
              ([type, status, message = '', observedGeneration, reason = `${type}Reason`]) => ({
                type,
                status,
                reason,
                message,
                lastTransitionTime: '2026-01-01T00:00:00Z',
                ...(observedGeneration === undefined ? {} : { observedGeneration }),
              }),
            ),
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
  'a RolloutPolicy that was told in the middle of a rollout to leave old nodes alone': {
    kind: 'RolloutPolicy',
    object: anObject([ready, ['Reconciling', 'False']], { phase: 'Waiting', reason: 'NewNodesOnly' }),
    want: 'Healthy',
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
      anObject([ready, ['Reconciling', 'True', 'paused until 2026-01-02T00:00:00Z', 3, 'Paused']]),
      'Suspended',
    ],
    'a pool that was paused before it was changed': [
      'NodePool',
      anObject([ready, ['Reconciling', 'True', 'paused until 2026-01-02T00:00:00Z', 2, 'Paused']]),
      'Progressing',
    ],
    'a pool that is paused with nothing to do, or whose pause has ended': [
      'NodePool',
      anObject([ready], {}, { annotations: { 'joinery.dev/pause-until': '2026-01-02T00:00:00Z' } }),
      'Healthy',
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

  /** Without a check of its own Argo CD takes an Application for healthy at once, and no wave of an app of apps waits for the one before. */
  const applications: Record<string, [status: object | undefined, want: string]> = {
    'an Application that nobody has looked at': [undefined, 'Progressing'],
    'an Application of which nothing is there yet': [{ health: { status: 'Missing' } }, 'Missing'],
    'an Application whose Deployment comes up': [
      { health: { status: 'Progressing' }, sync: { status: 'Synced' }, operationState: { phase: 'Succeeded' } },
      'Progressing',
    ],
    'an Application that is healthy but for what has not been made yet': [
      { health: { status: 'Healthy' }, sync: { status: 'OutOfSync' }, operationState: { phase: 'Running' } },
      'Progressing',
    ],
    'an Application whose sync failed': [
      { health: { status: 'Healthy' }, sync: { status: 'OutOfSync' }, operationState: { phase: 'Failed' } },
      'Degraded',
    ],
    'an Application that is as Git has it without ever having been synced': [
      { health: { status: 'Healthy' }, sync: { status: 'Synced' } },
      'Healthy',
    ],
    'an Application that somebody has edited since': [
      { health: { status: 'Healthy' }, sync: { status: 'OutOfSync' }, operationState: { phase: 'Succeeded' } },
      'Healthy',
    ],
  }
  test.each(Object.entries(applications))('%s', (_name, [status, want]) => {
    expect(argoHealth('Application', { metadata: { name: 'joinery' }, spec: {}, status }).status).toBe(want)
  })
})

describe('Flux, by its expressions', () => {
  test.each(Object.entries(both))('%s', (_name, { kind, object, want }) => {
    expect(fluxHealth(kind, object)).toBe(want)
  })
})

interface Actions {
  readonly 'discovery.lua': string
  readonly definitions: readonly { readonly name: string; readonly 'action.lua': string }[]
}

function actionsOf(kind: string): Actions {
  return parse(argoSettings[`resource.customizations.actions.${kind}`] ?? '') as Actions
}

/** Actions that Argo CD would offer. */
function offered(kind: string, object: object): readonly string[] {
  const found = runLua(actionsOf(kind)['discovery.lua'], object) as Record<string, { disabled?: boolean }>
  return Object.entries(found)
    .flatMap(([name, { disabled }]) => (disabled === true ? [] : [name]))
    .toSorted()
}

/** The annotations afterwards. */
function perform(kind: string, name: string, object: object): Record<string, string> | undefined {
  const script = actionsOf(kind).definitions.find((one) => one.name === name)?.['action.lua'] ?? ''
  return (runLua(script, object) as { metadata: { annotations?: Record<string, string> } }).metadata.annotations
}

const [pool, nodeClass, policy] = [
  'karpenter.sh_NodePool',
  'karpenter.k8s.aws_EC2NodeClass',
  'joinery.dev_RolloutPolicy',
] as const

describe('resource actions', () => {
  test.each([pool, nodeClass, policy])('%s: what can be discovered is defined, and the other way round', (kind) => {
    const { definitions } = actionsOf(kind)
    const found = runLua(actionsOf(kind)['discovery.lua'], anObject([ready])) as object
    expect(Object.keys(found).toSorted()).toEqual(definitions.map(({ name }) => name).toSorted())
  })

  test.each([pool, nodeClass, policy])(
    '%s: pause lasts a day; resume ends it, and leaves other annotations',
    (kind) => {
      const object = anObject([ready])
      expect(offered(kind, object)).toContain('pause')
      expect(offered(kind, object)).not.toContain('resume')
      const annotations = perform(kind, 'pause', object) ?? {}
      const untilMs = Date.parse(annotations['joinery.dev/pause-until'] ?? '')
      expect(Math.abs(untilMs - Date.now() - 86_400_000)).toBeLessThan(timeZoneMs)
      const paused = anObject([ready], {}, { annotations: { ...annotations, other: 'kept' } })
      expect(offered(kind, paused)).toContain('resume')
      expect(offered(kind, paused)).not.toContain('pause')
      expect(perform(kind, 'resume', paused)).toEqual({ other: 'kept' })
    },
  )

  test.each([pool, nodeClass])('%s: approve names the present target, once', (kind) => {
    const waiting = anObject([ready], { target: '123-0a0a0a0a' })
    expect(offered(kind, waiting)).toContain('approve')
    expect(perform(kind, 'approve', waiting)).toEqual({ 'joinery.dev/approve': '123-0a0a0a0a' })
    const approved = anObject([ready], { target: '123-0a0a0a0a' }, { annotations: perform(kind, 'approve', waiting) })
    expect(offered(kind, approved)).not.toContain('approve')
    const moved = anObject([ready], { target: '124-0a0a0a0a' }, { annotations: perform(kind, 'approve', waiting) })
    expect(offered(kind, moved)).toContain('approve')
    expect(offered(kind, anObject([ready]))).not.toContain('approve')
  })

  test.each([pool, nodeClass])('%s: restart says since when', (kind) => {
    expect(perform(kind, 'restart', anObject([ready]))?.['joinery.dev/restart-at']).toMatch(
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    )
  })

  test('a pool is retired by its own name, and that can be taken back', () => {
    expect(offered(pool, anObject([ready]))).toEqual(['pause', 'restart', 'retire'])
    const annotations = perform(pool, 'retire', anObject([ready]))
    expect(annotations).toEqual({ 'joinery.dev/retire': 'default' })
    const retired = anObject([ready], {}, { annotations })
    expect(offered(pool, retired)).toEqual(['cancel-retire', 'pause', 'restart'])
    expect(perform(pool, 'cancel-retire', retired)).toEqual({})
  })

  test('undo returns to the newest good set of images that is not in use', () => {
    const revision = (number: number, outcome: string, ...ids: string[]) => ({
      revision: number,
      outcome,
      images: ids.map((id) => ({ id, name: id })),
    })
    const amis = [{ id: 'ami-4b' }, { id: 'ami-4a' }]
    const imageHistory = [
      revision(4, 'good', 'ami-4a', 'ami-4b'),
      revision(3, 'bad', 'ami-3'),
      revision(1, 'good', 'ami-1'),
      revision(2, 'good', 'ami-2'),
    ]
    const object = anObject([ready], { amis, imageHistory })
    expect(offered(nodeClass, object)).toContain('undo')
    expect(perform(nodeClass, 'undo', object)).toEqual({ 'joinery.dev/undo-to': '2' })
    const onlyBad = anObject([ready], { amis, imageHistory: imageHistory.slice(0, 2) })
    expect(offered(nodeClass, onlyBad)).not.toContain('undo')
  })
})
