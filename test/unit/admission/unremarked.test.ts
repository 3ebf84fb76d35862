import { describe, expect, test } from 'vitest'
import type { AdmissionFacts } from '../../../src/admission/index.ts'
import type { NodePool } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { classProblems } from '../../../src/cloud/aws/class-problems.ts'
import {
  aClaim,
  aClass,
  aPool,
  catalogue,
  disk,
  familyKey,
  findings,
  metadata,
  overlay,
  rolloutPolicy,
  typeKey,
  withImages,
} from '../../support/judged-objects.ts'

describe('what is fine is not remarked on', () => {
  const cases: Record<string, [KubeObject, AdmissionFacts?]> = {
    'a node class without a spec, which servers let pass': [{ ...aClass(), spec: undefined } as KubeObject],
    'a claim': [aClaim(), { nodeClaims: [], nodePools: [], nodeClasses: [], catalogueOf: () => catalogue }],
    'an overlay': [overlay({ price: '1' }), { nodePools: [], nodeClasses: [], catalogueOf: () => catalogue }],
    'a buffer': [
      {
        apiVersion: 'autoscaling.x-k8s.io/v1beta1',
        kind: 'CapacityBuffer',
        metadata: metadata('b', { namespace: 'n' }),
        spec: { podTemplateRef: { name: 'a' }, replicas: 1 },
      } as KubeObject,
      { nodePools: [], nodeClasses: [], catalogueOf: () => catalogue },
    ],
    'a plain pool': [aPool(), { catalogueOf: () => catalogue, nodePools: [], nodeClasses: [aClass()] }],
    'a pool whose architectures all have images': [
      aPool(),
      { catalogueOf: () => catalogue, nodeClasses: [withImages('amd64')] },
    ],
    'a pool of a class with images for its architecture and another': [
      aPool(),
      {
        catalogueOf: () => catalogue,
        nodeClasses: [
          {
            ...aClass(),
            status: { amis: ['arm64', 'amd64'].flatMap((architecture) => withImages(architecture).status?.amis ?? []) },
          },
        ],
      },
    ],
    'a pool of a class whose images fit any machine': [
      aPool(),
      {
        catalogueOf: () => catalogue,
        nodeClasses: [{ ...aClass(), status: { amis: [{ id: 'a', requirements: [] }] } }],
      },
    ],
    'a pool of a class that has found no image, which the class tells': [
      aPool(),
      { catalogueOf: () => catalogue, nodeClasses: [{ ...aClass(), status: { amis: [] } }] },
    ],
    'a pool where no types are known, beside a class with images': [aPool(), { nodeClasses: [withImages('arm64')] }],
    'a limit where no types are known': [aPool({ limits: { cpu: '1' } })],
    'a limit of zero pauses the pool': [aPool({ limits: { cpu: '0' } }), { catalogueOf: () => catalogue }],
    'keys that may be absent': [
      aPool({
        template: {
          requirements: [
            { key: 'a', operator: 'NotIn', values: ['x'] },
            { key: 'a', operator: 'DoesNotExist' },
          ],
        },
      }),
    ],
    'a weekly freeze': [
      aPool({ disruption: { budgets: [{ nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h' }] } }),
    ],
    'a freeze of one reason': [aPool({ disruption: { budgets: [{ nodes: '0', reasons: ['Underutilized'] }] } })],
    'an equal pool with other taints': [
      aPool(),
      { nodePools: [aPool({ name: 'o', template: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })] },
    ],
    'minValues that are just met': [
      aPool({ template: { requirements: [{ key: typeKey, operator: 'In', values: ['a', 'b'], minValues: 2 }] } }),
    ],
    'minValues that the catalogue just meets': [
      aPool({ template: { requirements: [{ key: familyKey, operator: 'Exists', minValues: 2 }] } }),
      { catalogueOf: () => catalogue },
    ],
    'user data that merges': [aClass({ userData: '#!/bin/bash\necho x\n' }), classProblems],
    'a class without user data': [aClass(), { userDataProblem: () => 'no TOML' }],
    'durations that never end, where that may be': [
      aPool({ template: { expireAfter: 'Never' }, disruption: { consolidateAfter: 'Never' } }),
    ],
    'a limit that the smallest type just fits': [
      aPool({ limits: { cpu: '2', 'nvidia.com/gpu': '1' } }),
      { catalogueOf: () => catalogue },
    ],
    'a rollout policy that advances': [
      rolloutPolicy({
        windows: [{ schedule: '0 3 * * sun', duration: '2h', timeZone: 'Europe/Berlin' }],
        blackoutDates: [{ from: '2026-12-24', to: '2026-12-26', timeZone: 'UTC' }],
        sharedBudget: '5%',
        rate: { nodes: 1, per: '1m' },
        softExpireAfter: '720h',
        gates: {
          nodeReadyTimeout: '10m',
          podReadyTimeout: '10m',
          prometheus: { address: 'http://prometheus:9090', query: 'up', operator: 'GreaterThan', threshold: '0' },
        },
      }),
    ],
    'selectors that find something, and one that is not given': [
      aClass(),
      { selectorMatches: { amis: 1, subnets: 1, securityGroups: 1, capacityReservations: 0 } },
    ],
    'the disk of the family': [aClass({ blockDeviceMappings: [disk('/dev/xvdz'), disk('/dev/xvda')] })],
    'the second disk of Bottlerocket': [
      aClass({
        amiSelectorTerms: [{ alias: 'bottlerocket@1.32.0' }],
        blockDeviceMappings: [disk('/dev/xvda'), disk('/dev/xvdb')],
      }),
    ],
    'a disk that is marked, beside another': [
      aClass({ blockDeviceMappings: [disk('/dev/xvdy'), { ...disk('/dev/xvdz'), rootVolume: true }] }),
    ],
    'images by id, by name alone, and of known owners': [
      aClass({
        amiFamily: 'AL2023',
        amiSelectorTerms: [
          { id: 'ami-1' },
          { name: 'x' },
          { tags: { a: 'b' }, owner: 'self' },
          { name: 'x', owner: 'amazon' },
          { name: 'x', owner: '' },
          { tags: { a: 'b' }, name: 'x', owner: '123456789012' },
        ],
      }),
    ],
    'the latest Windows, which has no other version': [aClass({ amiSelectorTerms: [{ alias: 'windows2022@latest' }] })],
    'an equal pool of another weight': [aPool({ weight: 2 }), { nodePools: [aPool({ name: 'o', weight: 1 })] }],
    'an equal pool for other types': [
      aPool({ template: { requirements: [{ key: familyKey, operator: 'In', values: ['m7i'] }] } }),
      { nodePools: [aPool({ name: 'o', labels: { [familyKey]: 'c7i' } })] },
    ],
    'an equal pool of a fixed size': [
      aPool(),
      { nodePools: [{ ...aPool({ name: 'o' }), spec: { ...aPool().spec, replicas: 1 } }] },
    ],
    'a pool of a fixed size beside an equal one': [
      { ...aPool(), spec: { ...aPool().spec, replicas: 1 } } as KubeObject,
      { nodePools: [aPool({ name: 'o' })] },
    ],
    'an equal pool that is being deleted': [
      aPool(),
      { nodePools: [{ ...aPool(), metadata: { ...metadata('o'), deletionTimestamp: '2026-01-01T00:00:00Z' } }] },
    ],
    'pools beside it that were stored misshapen': [
      aPool(),
      {
        nodePools: [
          { spec: undefined },
          { spec: {} },
          { spec: { template: { spec: { nodeClassRef: aPool().spec.template.spec.nodeClassRef } } } },
          { spec: { template: { spec: { requirements: [] } } } },
        ].map((rest) => ({ ...aPool({ name: 'o' }), ...rest }) as NodePool),
      },
    ],
    "another controller's node class": [
      aPool({ template: { nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'x' } } }),
      { nodeClasses: [] },
    ],
    ...Object.fromEntries(
      [{ group: 'eks.amazonaws.com' }, { kind: 'NodeClass' }].map((other) => [
        `a node class that is not there, as with ${JSON.stringify(other)}`,
        [
          aPool({ template: { nodeClassRef: { ...aPool().spec.template.spec.nodeClassRef, ...other } } }),
          { nodeClasses: [] },
        ],
      ]),
    ),
    'the startup taints that the controller takes off': [
      aPool({
        template: {
          startupTaints: [
            { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
            { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' },
          ],
        },
      }),
    ],
    'a startup taint of an agent': [
      aPool({ template: { startupTaints: [{ key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' }] } }),
    ],
    'a kubelet expression with the gate on': [aClass({ kubelet: { maxPods: 'vcpus * 10' } }), { nodeClassCEL: true }],
  }
  test.each(Object.entries(cases))('%s', (_name, [object, facts]) => {
    expect(findings(object, facts)).toEqual({ denied: [], warned: [] })
  })
})
