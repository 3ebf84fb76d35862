import { describe, expect, test } from 'vitest'
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../../src/api/kubernetes.ts'
import { labelHostname } from '../../../src/api/labels.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import { rejectionOf } from '../../../src/scheduling/pod-validation.ts'
import { aClaim, aStorageClass, aVolume, inZones } from '../../support/scheduling-objects.ts'
import {
  aNode,
  aPod,
  aPool,
  aSnapshot,
  hostnameKey,
  pods,
  testVocabulary,
  zoneKey,
} from '../../support/scheduling-world.ts'
import { errorsOf, podsPerDomain, requirementOn, solveWorld, whereabouts } from '../../support/solving.ts'

interface Objects {
  readonly claims?: readonly PersistentVolumeClaim[]
  readonly volumes?: readonly PersistentVolume[]
  readonly classes?: readonly StorageClass[]
}

function objects({ claims = [], volumes = [], classes = [] }: Objects) {
  return {
    claims: new Map(claims.map((claim) => [`default/${claim.metadata.name}`, claim])),
    volumes: new Map(volumes.map((volume) => [volume.metadata.name, volume])),
    storageClasses: new Map(classes.map((one) => [one.metadata.name, one])),
  }
}

function mounting(...claims: string[]) {
  return { volumes: claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })) }
}

const inPool = (...zones: string[]) => [aPool({ requirements: [{ key: zoneKey, operator: 'In', values: zones }] })]
const zone = (world: Parameters<typeof solveWorld>[0]) => requirementOn(solveWorld(world).newNodePlans[0], zoneKey)
const bound = (name: string) => aClaim({ name, volumeName: `pv-${name}` })
const hostname = { key: 'kubernetes.io/hostname', operator: 'In', values: ['h'] }

describe('zones', () => {
  test('case 140: a class with one list of zones leaves them open', () => {
    const volumes = objects({
      claims: [aClaim({ name: 'c', storageClassName: 'sc' })],
      classes: [aStorageClass('sc', { zones: [['z1', 'z2']] })],
    })
    expect(zone({ volumes, pods: [aPod(mounting('c'))] })).toBe(`${zoneKey} In [z1 z2]`)
  })

  test('case 140: alternatives of a class are tried in order', () => {
    const volumes = objects({
      claims: [aClaim({ name: 'c', storageClassName: 'sc' })],
      classes: [aStorageClass('sc', { zones: [['z1'], ['z2']] })],
    })
    expect(zone({ volumes, pools: inPool('z2'), pods: [aPod(mounting('c'))] })).toBe(`${zoneKey} In [z2]`)
    expect(zone({ volumes, pods: [aPod(mounting('c'))] })).toBe(`${zoneKey} In [z1]`)
  })

  test('a class may name zones by a label of old', () => {
    const sc = aStorageClass('sc')
    const matchLabelExpressions = [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['z2'] }]
    const volumes = objects({
      claims: [aClaim({ name: 'c', storageClassName: 'sc' })],
      classes: [{ ...sc, allowedTopologies: [{ matchLabelExpressions }] }],
    })
    expect(zone({ volumes, pods: [aPod(mounting('c'))] })).toBe(`${zoneKey} In [z2]`)
  })

  test('case 141: a bound volume decides, whatever its class says', () => {
    const claim = { ...bound('c'), spec: { volumeName: 'pv-c', storageClassName: 'missing' } }
    const volumes = objects({ claims: [claim], volumes: [aVolume('pv-c', [inZones('z3')])] })
    expect(zone({ volumes, pods: [aPod(mounting('c'))] })).toBe(`${zoneKey} In [z3]`)
  })

  test('case 141: a pod and its volume in different zones have no place', () => {
    const volumes = objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [inZones('z2')])] })
    const placement = solveWorld({ volumes, pods: [aPod({ ...mounting('c'), nodeSelector: { [zoneKey]: 'z1' } })] })
    expect(placement.failures[0]?.text).toBe(
      `incompatible volume requirements, key ${zoneKey}, ${zoneKey} In [z2] not in ${zoneKey} In [z1]`,
    )
  })

  test('case 142: a local volume pins its zone but not its host', () => {
    const withZone = [hostname, { key: zoneKey, operator: 'In', values: ['z1'] }]
    for (const source of [{ local: { path: '/data' } }, { hostPath: { path: '/data' } }]) {
      const onHost = (matchExpressions: (typeof hostname)[]) =>
        objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [{ matchExpressions }], source)] })
      expect(zone({ volumes: onHost(withZone), pods: [aPod(mounting('c'))] })).toBe(`${zoneKey} In [z1]`)
      const anywhere = solveWorld({ volumes: onHost([hostname]), pods: [aPod(mounting('c'))] })
      expect(anywhere.newNodePlans).toHaveLength(1)
      expect(requirementOn(anywhere.newNodePlans[0], zoneKey)).toBeUndefined()
    }
  })

  test('case 142: a CSI volume that names a host needs that very host', () => {
    const volumes = objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [{ matchExpressions: [hostname] }])] })
    expect(solveWorld({ volumes, pods: [aPod(mounting('c'))] }).failures).toHaveLength(1)
    const nodes = [aNode({ name: 'g', pool: 'np' }), aNode({ name: 'h', pool: 'np' })]
    const placement = solveWorld({ nodes, volumes, pods: [aPod(mounting('c'))] })
    expect(placement.existing.map(({ node }) => node.name)).toEqual(['h'])
  })

  test('a place of a volume in which no instance type can be had is passed over', () => {
    const volumes = objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [inZones('z3'), inZones('z1')])] })
    const spot = aPod({ ...mounting('c'), nodeSelector: { 'karpenter.sh/capacity-type': 'spot' } })
    expect(zone({ volumes, pods: [spot] })).toBe(`${zoneKey} In [z1]`)
  })

  test('on nodes that are there, too, any of the places that a volume can be used from will do', () => {
    const volumes = objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [inZones('z1'), inZones('z2')])] })
    for (const [value, want] of [
      ['z1', ['n']],
      ['z2', ['n']],
      ['z3', []],
    ] as const) {
      const nodes = [aNode({ name: 'n', labels: { [zoneKey]: value } })]
      const placement = solveWorld({ nodes, volumes, pods: [aPod(mounting('c'))] })
      expect(placement.existing.map(({ node }) => node.name)).toEqual(want)
    }
  })

  test('case 143: several volumes leave what they have in common', () => {
    const classes = [aStorageClass('a', { zones: [['z1'], ['z2']] }), aStorageClass('b', { zones: [['z2'], ['z3']] })]
    const claims = [aClaim({ name: 'x', storageClassName: 'a' }), aClaim({ name: 'y', storageClassName: 'b' })]
    expect(zone({ volumes: objects({ claims, classes }), pods: [aPod(mounting('x', 'y'))] })).toBe(`${zoneKey} In [z2]`)
  })

  test('of what several volumes have in common, what the first one prefers is tried first', () => {
    const volumes = objects({
      claims: ['a', 'b'].map((name) => aClaim({ name, storageClassName: `sc-${name}` })),
      classes: [aStorageClass('sc-a', { zones: [['z1'], ['z2']] }), aStorageClass('sc-b', { zones: [['z2'], ['z1']] })],
    })
    expect(zone({ volumes, pods: [aPod(mounting('a', 'b'))] })).toBe(`${zoneKey} In [z1]`)
    expect(zone({ volumes, pods: [aPod(mounting('b', 'a'))] })).toBe(`${zoneKey} In [z2]`)
  })

  test('case 143: volumes with nothing in common leave no place, not even on a node that does not say its zone', () => {
    const classes = [aStorageClass('a', { zones: [['z1']] }), aStorageClass('b', { zones: [['z3']] })]
    const claims = [aClaim({ name: 'x', storageClassName: 'a' }), aClaim({ name: 'y', storageClassName: 'b' })]
    const volumes = objects({ claims, classes })
    for (const nodes of [[], [aNode({ name: 'plain', pool: 'np' })]]) {
      expect(errorsOf(solveWorld({ volumes, nodes, pods: [aPod(mounting('x', 'y'))] }))).toEqual([
        `incompatible volume requirements, its volumes exclude each other by ${zoneKey}`,
      ])
    }
  })

  test('volumes and terms that say nothing of where they are play no part', () => {
    const zoned = aVolume('pv-b', [{ matchFields: [] }, inZones('z2')])
    const volumes = objects({ claims: [bound('a'), bound('b')], volumes: [aVolume('pv-a', []), zoned] })
    expect(zone({ volumes, pods: [aPod(mounting('a', 'b'))] })).toBe(`${zoneKey} In [z2]`)
  })

  test('nor do those that exclude each other by a label that a node may be without', () => {
    const on = (host: string, ...others: { key: string; operator: string; values: string[] }[]) => ({
      matchExpressions: [{ key: 'topology.topolvm.io/node', operator: 'In', values: [host] }, ...others],
    })
    const inZ1 = { key: zoneKey, operator: 'In', values: ['z1'] }
    for (const zones of [[], [inZ1]]) {
      const volumes = objects({
        claims: [bound('c'), bound('d')],
        volumes: [aVolume('pv-c', [on('n1', ...zones)]), aVolume('pv-d', [on('n2', ...zones)])],
      })
      for (const nodes of [[], [aNode({ name: 'plain', pool: 'np', labels: { [zoneKey]: 'z1' } })]]) {
        const placement = solveWorld({ volumes, nodes, pods: [aPod(mounting('c', 'd'))] })
        expect(placement.failures[0]?.text).toBe(
          'incompatible volume requirements, its volumes exclude each other by topology.topolvm.io/node',
        )
      }
    }
  })

  test('nor by the name of the node', () => {
    const on = (host: string) => ({ matchExpressions: [{ key: labelHostname, operator: 'In', values: [host] }] })
    const volumes = objects({
      claims: [bound('c'), bound('d')],
      volumes: [aVolume('pv-c', [on('n1')]), aVolume('pv-d', [on('n2')])],
    })
    expect(solveWorld({ volumes, pods: [aPod(mounting('c', 'd'))] }).failures[0]?.text).toBe(
      'incompatible volume requirements, its volumes exclude each other by kubernetes.io/hostname',
    )
  })

  test('case 144: a volume zone survives when preferences are dropped', () => {
    const volumes = objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [inZones('z2')])] })
    const pod = aPod({
      ...mounting('c'),
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: inZones('z1') }] },
      },
    })
    expect(zone({ volumes, pods: [pod] })).toBe(`${zoneKey} In [z2]`)
  })

  test('case 145: an ephemeral volume has the claim of its pod', () => {
    const volumes = objects({
      claims: [aClaim({ name: 'p-data', storageClassName: 'sc' })],
      classes: [aStorageClass('sc', { zones: [['z2']] })],
    })
    const pod = aPod({ name: 'p', volumes: [{ name: 'data', ephemeral: {} }] })
    expect(zone({ volumes, pods: [pod] })).toBe(`${zoneKey} In [z2]`)
  })

  test('case 146: a volume narrows the target, not the domains over which the spread is measured', () => {
    const labels = { app: 'web' }
    const nodes = ['z1', 'z2', 'z3'].map((value) =>
      aNode({
        name: value,
        pool: 'np',
        labels: { [zoneKey]: value },
        allocatable: { pods: '1' },
        pods: pods(1, { labels, nodeName: value }),
      }),
    )
    const volumes = objects({ claims: [bound('c')], volumes: [aVolume('pv-c', [inZones('z1')])] })
    const pod = aPod({
      labels,
      ...mounting('c'),
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          minDomains: 3,
          topologyKey: zoneKey,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: labels },
        },
      ],
    })
    expect(podsPerDomain(solveWorld({ nodes, volumes, pods: [pod] }))).toEqual({ z1: 1 })
  })
})

test('a pod that asks for another zone than its volume is told so, and not that the pool is to blame', () => {
  const volumes = objects({
    claims: [aClaim({ name: 'c', volumeName: 'pv' })],
    volumes: [aVolume('pv', [inZones('z2')])],
  })
  const miss = (pool: Parameters<typeof aPool>[0], nodeSelector: Record<string, string>) => {
    const pod = aPod({ ...mounting('c'), nodeSelector })
    const because = solveWorld({ pools: [aPool(pool)], volumes, pods: [pod] }).failures[0]?.because
    return because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : undefined
  }
  expect(miss({}, { [zoneKey]: 'z1' })).toBe(`the pod asks for ${zoneKey} z1, its volumes for z2`)
  const inZ1 = { requirements: [{ key: zoneKey, operator: 'In' as const, values: ['z1'] }] }
  expect(miss(inZ1, {})).toBe(`nodepool np allows ${zoneKey} z1 only`)
})

test('a pod whose volumes are on a node by name is told that no new node has that name', () => {
  const onNode = { matchExpressions: [{ key: hostnameKey, operator: 'In' as const, values: ['n1'] }] }
  const volumes = objects({
    claims: [aClaim({ name: 'c', volumeName: 'pv' })],
    volumes: [aVolume('pv', [onNode], { csi: { driver: 'local.csi.example.com' } })],
  })
  const because = solveWorld({ volumes, pods: [aPod(mounting('c'))] }).failures[0]?.because
  expect(because?.kind === 'pools' ? because.pools[0]?.nearestMiss?.text : undefined).toBe(
    `no new node has ${hostnameKey} n1`,
  )
})

describe('validation', () => {
  const reject = (given: Objects): string | undefined =>
    rejectionOf(aPod(mounting('c')), {
      volumes: aSnapshot({ volumes: objects(given) }).volumes,
      vocabulary: testVocabulary,
    })?.text
  const who = '(PersistentVolumeClaim=default/c)'
  const { volumeBindingMode: _binding, ...classWithoutBinding } = aStorageClass('sc')
  const cases: Record<string, { given: Objects; want: string | undefined }> = {
    'case 24: the claim is missing': { given: {}, want: 'persistentvolumeclaims "c" not found' },
    'case 147: the claim is being deleted': {
      given: { claims: [aClaim({ name: 'c', deleting: true })] },
      want: `persistentvolumeclaim is being deleted ${who}`,
    },
    'case 147: the claim is lost': {
      given: { claims: [aClaim({ name: 'c', phase: 'Lost' })] },
      want: `persistentvolumeclaim bound to non-existent persistentvolume ${who}`,
    },
    'case 147: the volume is being deleted': {
      given: {
        claims: [bound('c')],
        volumes: [
          {
            ...aVolume('pv-c', []),
            metadata: { ...aVolume('pv-c', []).metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
          },
        ],
      },
      want: `failed to validate pvc, persistentvolume is being deleted ${who}`,
    },
    'case 147: binding has not completed': {
      given: { claims: [aClaim({ name: 'c', volumeName: 'pv', annotations: {} })] },
      want: 'pvc is considered unbound because it does not contain annotation (PersistentVolumeClaim=default/c, annotation=pv.kubernetes.io/bind-completed)',
    },
    'case 147: bound to a volume that is not there': {
      given: { claims: [bound('c')] },
      want: `failed to validate pvc, persistentvolumes "pv-c" not found ${who}`,
    },
    'a class that does not say when it binds': {
      given: { claims: [aClaim({ name: 'c', storageClassName: 'sc' })], classes: [classWithoutBinding] },
      want: undefined,
    },
    'case 147: the class binds at once': {
      given: {
        claims: [aClaim({ name: 'c', storageClassName: 'sc' })],
        classes: [aStorageClass('sc', { binding: 'Immediate' })],
      },
      want: `failed to validate pvc, pvc with immediate volume binding mode must be bound ${who}`,
    },
    'case 148: unbound without a class': {
      given: { claims: [aClaim({ name: 'c' })] },
      want: `unbound pvc must define a storage class ${who}`,
    },
    'case 148: bound with an empty class': {
      given: {
        claims: [{ ...bound('c'), spec: { volumeName: 'pv-c', storageClassName: '' } }],
        volumes: [aVolume('pv-c', [])],
      },
      want: undefined,
    },
    'case 148: bound with a class that does not exist': {
      given: {
        claims: [{ ...bound('c'), spec: { volumeName: 'pv-c', storageClassName: 'x' } }],
        volumes: [aVolume('pv-c', [])],
      },
      want: undefined,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { given, want }) => {
    expect(reject(given)).toBe(want)
  })
})

describe('a volume that only labels say the zone of', () => {
  const planned = (labelsOfVolume: Record<string, string>) => {
    const volume = aVolume('pv-c', [])
    const labelled = { ...volume, metadata: { ...volume.metadata, labels: labelsOfVolume } }
    const volumes = objects({ claims: [bound('c')], volumes: [labelled] })
    const [plan] = solveWorld({ volumes, pods: [aPod(mounting('c'))] }).newNodePlans
    return requirementOn(plan, zoneKey)
  }

  test.each([zoneKey, 'failure-domain.beta.kubernetes.io/zone'])('as %s', (key) => {
    expect(planned({ [key]: 'z2' })).toBe(`${zoneKey} In [z2]`)
  })

  test('or the zones, of one that is in several', () => {
    expect(planned({ [zoneKey]: 'z2__z3' })).toBe(`${zoneKey} In [z2 z3]`)
  })
})

describe('a volume for one pod alone', () => {
  const exclusive = { ...bound('c'), spec: { volumeName: 'pv-c', accessModes: ['ReadWriteOncePod'] } }
  const volumes = objects({ claims: [exclusive], volumes: [aVolume('pv-c', [])] })
  const reject = (...running: readonly PodInfo[]) => {
    const snapshot = aSnapshot({ volumes, nodes: [aNode({ name: 'n', pool: 'np', pods: running })] })
    return rejectionOf(aPod({ name: 'waiting', ...mounting('c') }), { ...snapshot, vocabulary: testVocabulary })?.text
  }

  test('makes no node for another one that mounts it, as long as the first is there', () => {
    expect(reject(aPod({ name: 'first', nodeName: 'n', ...mounting('c') }))).toBe(
      'persistentvolumeclaim with access mode ReadWriteOncePod is in use by pod default/first (PersistentVolumeClaim=default/c)',
    )
  })

  test('is free for it otherwise', () => {
    expect(reject(aPod({ name: 'first', nodeName: 'n' }))).toBeUndefined()
  })

  test('is in nobody’s way but that of others: its own pod may have to move', () => {
    expect(reject(aPod({ name: 'waiting', nodeName: 'n', ...mounting('c') }))).toBeUndefined()
  })

  test('of several that wait for it the first gets a node, and the others are told who', () => {
    const waiting = (name: string, cpu: string) => aPod({ name, requests: { cpu }, ...mounting('c') })
    const placed = (...given: readonly PodInfo[]) => whereabouts(solveWorld({ volumes, pods: given }))
    const left = (user: string) =>
      `persistentvolumeclaim with access mode ReadWriteOncePod is left to pod default/${user}, which waits for it as well (PersistentVolumeClaim=default/c)`
    expect(placed(waiting('large', '3'), waiting('small', '1'), aPod({ name: 'other' }))).toEqual({
      large: 'new-0',
      small: left('large'),
      other: 'new-0',
    })
    expect(placed(waiting('alike-a', '1'), waiting('alike-b', '1'))).toEqual({
      'alike-a': 'new-0',
      'alike-b': left('alike-a'),
    })
    expect(placed(waiting('too-large', '500'), waiting('small', '1'))['small']).toBe('new-0')
  })

  test('one that several pods may mount is free for all of them', () => {
    const shared = { ...bound('c'), spec: { volumeName: 'pv-c', accessModes: ['ReadWriteOnce', 'ReadWriteMany'] } }
    const { nodes } = aSnapshot({
      nodes: [aNode({ name: 'n', pool: 'np', pods: [aPod({ name: 'first', nodeName: 'n', ...mounting('c') })] })],
    })
    const given = {
      volumes: aSnapshot({ volumes: objects({ claims: [shared], volumes: [aVolume('pv-c', [])] }) }).volumes,
    }
    expect(rejectionOf(aPod(mounting('c')), { ...given, nodes, vocabulary: testVocabulary })).toBeUndefined()
  })
})

test('what a provider cannot serve is named', () => {
  const who = '(PersistentVolumeClaim=default/c)'
  const reject = (given: Objects) =>
    rejectionOf(aPod(mounting('c')), {
      volumes: aSnapshot({ volumes: objects(given) }).volumes,
      vocabulary: testVocabulary,
      support: {
        unsupportedProvisioners: new Set(['ebs.csi.aws.com']),
        unsupportedTopologyKeys: new Set([zoneKey]),
      },
    })?.text
  const unbound = (provisioner: string, more: object = {}) =>
    reject({
      claims: [aClaim({ name: 'c', storageClassName: 'sc' })],
      classes: [{ ...aStorageClass('sc', { provisioner }), ...more }],
    })
  const unserved = `failed to validate pvc, provisioner is not supported ${who}`
  expect(unbound('ebs.csi.aws.com')).toBe(unserved)
  expect(unbound('efs.csi.aws.com')).toBeUndefined()
  const topologies = (...keys: string[]) => ({
    allowedTopologies: [{ matchLabelExpressions: keys.map((key) => ({ key, values: ['x'] })) }],
  })
  expect(unbound('efs.csi.aws.com', topologies('team', zoneKey))).toBe(
    `failed to validate pvc, storage class uses unsupported topology key ${who}`,
  )
  expect(unbound('efs.csi.aws.com', topologies('team'))).toBeUndefined()
  const ofDriver = (source: Parameters<typeof aVolume>[2]) =>
    reject({ claims: [bound('c')], volumes: [aVolume('pv-c', [], source)] })
  expect(ofDriver({ csi: { driver: 'ebs.csi.aws.com' } })).toBe(unserved)
  expect(ofDriver({ csi: { driver: 'efs.csi.aws.com' } })).toBeUndefined()
  expect(ofDriver({ nfs: { server: 'files', path: '/' } })).toBeUndefined()
})
