import { expect, test } from 'vitest'
import { ec2NodeClassHashInput, nodePoolHash, nodePoolHashInput, recordText } from '../../../../src/api/hash/index.ts'
import type { Explanation } from '../../../../src/cli/explain/explanation.ts'
import { runCommand } from '../../../support/command-run.ts'

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }
const amd64 = { key: 'kubernetes.io/arch', operator: 'In' as const, values: ['amd64'] }
const template = (effect: 'NoSchedule' | 'NoExecute', requirements = [amd64]) => ({
  spec: { nodeClassRef, requirements, expireAfter: '720h', taints: [{ key: 'team', effect }] },
})
const classSpec = (role: string) => ({
  role,
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ id: 'subnet-1' }],
  securityGroupSelectorTerms: [{ id: 'sg-1' }],
  metadataOptions: {
    httpEndpoint: 'enabled' as const,
    httpProtocolIPv6: 'disabled' as const,
    httpPutResponseHopLimit: 1,
    httpTokens: 'required' as const,
  },
})
const hashes = (key: string, hash: string, version: string) => ({ [key]: hash, [`${key}-version`]: version })
const made = { spec: { template: template('NoSchedule') } }
const madeHash = nodePoolHash(made)
const image = { id: 'ami-1', name: 'al2023-v1', creationDate: '2025-06-01T00:00:00Z' }
const records = {
  'joinery.dev/nodepool-hash-input': recordText({ generation: 3, hash: madeHash, input: nodePoolHashInput(made) }),
  'joinery.dev/nodeclass-hash-input': recordText({
    generation: 1,
    hash: '10',
    image,
    input: ec2NodeClassHashInput({ spec: classSpec('old') }, 'a CA'),
  }),
}

/** A pool and a class, both changed since the node was made, or by `now` as they were. */
function manifests(now: { template: object; role: string; classHash: string }, recorded: Record<string, string>) {
  const status = {
    conditions: ['Launched', 'Registered', 'Initialized'].map((type) => ({
      type,
      status: 'True',
      reason: type,
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
    providerID: 'aws:///zone-a/i-1',
    nodeName: 'n1',
  }
  const labels = {
    'karpenter.sh/nodepool': 'general',
    'kubernetes.io/arch': 'amd64',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  }
  const pool = { spec: { template: now.template } } as typeof made
  const list = [
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: {
        name: 'general',
        generation: 5,
        annotations: hashes('karpenter.sh/nodepool-hash', nodePoolHash(pool), 'v3'),
      },
      spec: { disruption: { consolidateAfter: '0s' }, ...pool.spec },
      status: {
        upToDateNodes: 0,
        driftedNodes: 1,
        target: '2-0a1b2c3d',
        blockedBy: [{ reason: 'PDBBlocked', nodes: 1, message: 'n1: Pdb prevents pod evictions' }],
        conditions: [
          {
            type: 'Reconciling',
            status: 'True',
            reason: 'ReplacingNodes',
            message: '1 of 1 node(s)',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
          {
            type: 'Stalled',
            status: 'True',
            reason: 'PDBBlocked',
            message: 'for too long',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    },
    {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: {
        name: 'default',
        generation: 2,
        annotations: hashes('karpenter.k8s.aws/ec2nodeclass-hash', now.classHash, 'v6'),
      },
      spec: classSpec(now.role),
    },
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: 'c1',
        labels,
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations: {
          ...hashes('karpenter.sh/nodepool-hash', madeHash, 'v3'),
          ...hashes('karpenter.k8s.aws/ec2nodeclass-hash', '10', 'v6'),
          ...recorded,
        },
      },
      spec: { nodeClassRef, requirements: [] },
      status,
    },
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', labels },
      spec: { providerID: 'aws:///zone-a/i-1' },
      status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: { cpu: '8' }, allocatable: { cpu: '8' } },
    },
  ]
  return list.map((object) => JSON.stringify(object)).join('\n---\n')
}

const changed = { template: template('NoExecute', [{ ...amd64, values: ['arm64'] }]), role: 'new', classHash: '11' }

const explain = async (input: string, ...ask: readonly string[]) => {
  const { code, stdout, stderr } = await runCommand(['explain', ...ask, '-f', '-'], { stdin: input })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

test('a node tells everything that its pool and class ask for differently, beyond the one reason of its condition', async () => {
  const answer = JSON.parse(await explain(manifests(changed, records), 'nodeclaim', 'c1', '-o', 'json')) as Explanation
  expect(answer.changes).toEqual([
    { object: 'NodePool', path: 'spec.template.spec.taints[0].effect', old: 'NoSchedule', new: 'NoExecute' },
    {
      object: 'NodePool',
      path: 'spec.template.spec.requirements[0]',
      old: 'kubernetes.io/arch=amd64',
      new: 'kubernetes.io/arch In [arm64]',
    },
    { object: 'EC2NodeClass', path: 'spec.role', old: 'old', new: 'new' },
  ])
  expect(answer.facts).toEqual(
    expect.arrayContaining([
      { name: 'made from NodePool', value: 'generation 3, which is at 5 now' },
      { name: 'made from EC2NodeClass', value: 'generation 1, which is at 2 now' },
      { name: 'image', value: 'ami-1 al2023-v1 of 2025-06-01T00:00:00Z' },
      {
        name: 'drifted',
        value: 'NodePoolDrifted: spec.template.spec.taints[0].effect: NoSchedule -> NoExecute (generation 5)',
      },
    ]),
  )
})

test('as text, one line for each change', async () => {
  const text = await explain(manifests(changed, records), 'node', 'n1')
  expect(text).toContain(
    '\n  changed since it was made\n  ~ NodePool spec.template.spec.taints[0].effect: NoSchedule -> NoExecute\n',
  )
})

test('a node as it was made has no changes', async () => {
  const same = { template: made.spec.template, role: 'old', classHash: '10' }
  const answer = JSON.parse(await explain(manifests(same, records), 'node', 'n1', '-o', 'json')) as Explanation
  expect(answer.changes).toEqual([])
})

test('a changed node that another controller launched says that nothing is known of it', async () => {
  const answer = JSON.parse(await explain(manifests(changed, {}), 'node', 'n1', '-o', 'json')) as Explanation
  const noRecord = 'no record of what the node was made of (launched by another controller)'
  expect(answer.facts).toEqual(
    expect.arrayContaining([
      { name: 'made from NodePool', value: noRecord },
      { name: 'made from EC2NodeClass', value: noRecord },
    ]),
  )
})

test('a NodePool tells how far its rollout is and what holds it', async () => {
  const answer = JSON.parse(
    await explain(manifests(changed, records), 'nodepool', 'general', '-o', 'json'),
  ) as Explanation
  expect(answer.facts).toEqual(
    expect.arrayContaining([
      { name: 'up to date', value: '0, to be replaced 1' },
      { name: 'target', value: '2-0a1b2c3d' },
    ]),
  )
  expect(answer.reasons.filter(({ about }) => about.startsWith('rollout'))).toMatchObject([
    { about: 'rollout', outcome: 'idle', code: 'ReplacingNodes', message: '1 of 1 node(s)' },
    { about: 'rollout', outcome: 'blocks', code: 'PDBBlocked', message: 'for too long' },
    {
      about: 'rollout of 1 node',
      outcome: 'blocks',
      code: 'PDBBlocked',
      help: expect.stringContaining('PodDisruptionBudget'),
    },
  ])
})

test.each([
  ['PDBBlocked', 'goes on by itself then'],
  ['Halted', 'not tried again by itself'],
  ['RolledBack', 'find other images'],
])('a rollout that is stuck by %s says whether it will go on by itself', async (code, help) => {
  const stuck = manifests(changed, records).replace(
    '"reason":"PDBBlocked","message":"for too long"',
    `"reason":"${code}","message":"for too long"`,
  )
  const answer = JSON.parse(await explain(stuck, 'nodepool', 'general', '-o', 'json')) as Explanation
  const told = answer.reasons.find(({ about, outcome }) => about === 'rollout' && outcome === 'blocks')
  expect(told).toMatchObject({ code, help: expect.stringContaining(help) })
})
