import { describe, expect, test } from 'vitest'
import type { EC2NodeClass } from '../../../../src/api/karpenter.ts'
import type { ResolvedClass } from '../../../../src/cli/plan/images.ts'
import type { FieldChange } from '../../../../src/model/drift-finding.ts'
import { aFleetClass, aFleetPool, aMachine, annotated } from '../../../support/fleet-objects.ts'
import { actions, aFleet } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

describe('images, subnets and security groups', () => {
  const alias = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
  const field = { path: 'spec.amiSelectorTerms[0].alias', old: 'al2023@v20260601', new: 'al2023@v20260701' }
  const amis = (id: string) => [{ id, name: `image-${id}`, requirements: [] }]

  test('an alias whose image nobody knows yet replaces the nodes', () => {
    const plan = planOf(aFleet(), [alias])
    expect(plan.nodes.map(({ reason, fields }) => ({ reason, fields }))).toEqual([
      { reason: 'AMIDrift', fields: [field] },
      { reason: 'AMIDrift', fields: [field] },
      { reason: 'AMIDrift', fields: [field] },
    ])
  })

  test('an alias that finds the same image changes nodes in place', () => {
    const plan = planOf(aFleet(), [alias], { resolved: new Map([['default', { amis: amis('ami-1') }]]) })
    expect(actions(plan)).toEqual({ n1: 'inPlace', n2: 'inPlace', n3: 'inPlace' })
  })

  test('an alias that finds another image names both', () => {
    const plan = planOf(aFleet(), [alias], { resolved: new Map([['default', { amis: amis('ami-2') }]]) })
    expect(plan.nodes[0]).toMatchObject({
      reason: 'AMIDrift',
      fields: [field, { path: 'status.amis', old: 'ami-1', new: 'ami-2 (image-ami-2)' }],
    })
  })

  test('an undo replaces nodes of other images than those of its revision, whatever the selector finds', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
    const images = [{ id: 'ami-0', name: 'al2023-v20260501', requirements }]
    const known = aFleetClass()
    const nodeClass: EC2NodeClass = {
      ...known,
      status: {
        ...known.status,
        imageHistory: [{ revision: 1, images, firstSeen: '2026-05-01T00:00:00Z', outcome: 'good' }],
      },
    }
    const cluster = aFleet({ nodeClass, machines: { n1: {}, n2: { imageID: 'ami-0' } } })
    const undone = annotated(aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] }), {
      'joinery.dev/undo-to': '1',
    })
    const plan = planOf(cluster, [undone])
    expect(actions(plan)).toEqual({ n1: 'replace AMIDrift', n2: 'inPlace' })
    expect(plan.nodes[0]?.fields.at(-1)).toEqual({
      path: 'status.amis',
      old: 'ami-1',
      new: 'ami-0 (al2023-v20260501)',
    })
    const [revision] = nodeClass.status?.imageHistory ?? []
    const imageHistory = revision === undefined ? [] : [{ ...revision, family: 'AL2' }]
    const ofOther = { ...nodeClass, status: { ...nodeClass.status, imageHistory } }
    const machines = { n1: {}, n2: { imageID: 'ami-0' } }
    expect(actions(planOf(aFleet({ nodeClass: ofOther, machines }), [undone])).n2).toBe('replace AMIDrift')
    const unknown = annotated(aFleetClass(), { 'joinery.dev/undo-to': '2' })
    expect(actions(planOf(cluster, [unknown]))).toMatchObject({ n1: 'stay' })
  })

  test('the end of an undo replaces its nodes by what the selector has found meanwhile', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
    const known = aFleetClass()
    const undone: EC2NodeClass = {
      ...annotated(known, {
        'joinery.dev/undo-to': '1',
        'kubectl.kubernetes.io/last-applied-configuration':
          '{"metadata":{"annotations":{"joinery.dev/undo-to":"1"},"name":"default"}}',
      }),
      status: {
        ...known.status,
        pinnedImages: { images: [{ id: 'ami-1', requirements }], insteadOf: '1-00000000', reason: 'undo', undoTo: 1 },
        imageHistory: [
          { revision: 2, images: [{ id: 'ami-2', requirements }], firstSeen: '2026-06-01T00:00:00Z', outcome: 'bad' },
          { revision: 1, images: [{ id: 'ami-1', requirements }], firstSeen: '2026-05-01T00:00:00Z', outcome: 'good' },
        ],
      },
    }
    const cluster = aFleet({ nodeClass: undone, machines: { n1: {}, n2: { imageID: 'ami-2' } } })
    expect(actions(planOf(cluster, [undone]))).toEqual({ n1: 'stay', n2: 'replace AMIDrift' })
    const plan = planOf(cluster, [aFleetClass()])
    expect(plan.objects).toContainEqual({ kind: 'EC2NodeClass', name: 'default', change: 'changed' })
    expect(actions(plan)).toEqual({ n1: 'replace AMIDrift', n2: 'stay' })
    expect(plan.nodes[0]?.fields).toEqual([{ path: 'status.amis', old: 'ami-1', new: 'ami-2' }])
    // What another selector finds nobody knows yet.
    const moved = planOf(cluster, [aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })])
    expect(actions(moved)).toEqual({ n1: 'replace AMIDrift', n2: 'replace AMIDrift' })
    const resolved = new Map([['default', { amis: [{ id: 'ami-1', requirements }] }]])
    expect(actions(planOf(cluster, [aFleetClass()], { resolved }))).toEqual({ n1: 'stay', n2: 'replace AMIDrift' })
  })

  describe('an alias of a version that the class has had before', () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]
    const revision = (number: number, id: string, name: string) => ({
      revision: number,
      images: [{ id, name, requirements }],
      firstSeen: '2026-06-01T00:00:00Z',
      outcome: 'good' as const,
    })
    const known = aFleetClass()
    const here = (found: string, before: string): EC2NodeClass => ({
      ...known,
      status: { ...known.status, imageHistory: [revision(2, 'ami-1', found), revision(1, 'ami-0', before)] },
    })
    const back = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260501' }] })
    const machines = { n1: {}, n2: { imageID: 'ami-0' } }

    test('finds the images of then', () => {
      const cluster = aFleet({ nodeClass: here('al2023-x86-v20260601', 'al2023-x86-v20260501'), machines })
      expect(actions(planOf(cluster, [back]))).toEqual({ n1: 'replace AMIDrift', n2: 'inPlace' })
      const resolved = new Map([['default', { amis: [{ id: 'ami-1', requirements }] }]])
      expect(actions(planOf(cluster, [back], { resolved }))).toEqual({ n1: 'inPlace', n2: 'replace AMIDrift' })
    })

    test.each([
      ['names differ by more than the version', 'al2023-1.34-v20260601', 'al2023-1.33-v20260501'],
      ['names tell no version', 'mine', 'mine'],
    ])('finds what nobody knows where %s', (_why, found, before) => {
      const cluster = aFleet({ nodeClass: here(found, before), machines })
      expect(actions(planOf(cluster, [back]))).toEqual({ n1: 'replace AMIDrift', n2: 'replace AMIDrift' })
    })
  })

  test('an image that the class has moved on to replaces nodes without any change', () => {
    const cluster = aFleet({ machines: { n1: { imageID: 'ami-0' }, n2: {} } })
    expect(actions(planOf(cluster, []))).toEqual({ n1: 'replace AMIDrift', n2: 'stay' })
  })

  const cases: Record<string, { readonly spec: Parameters<typeof aFleetClass>[0]; readonly want: string }> = {
    'the same security group by id': { spec: { securityGroupSelectorTerms: [{ id: 'sg-1' }] }, want: 'inPlace' },
    'another security group by id': {
      spec: { securityGroupSelectorTerms: [{ id: 'sg-2' }] },
      want: 'replace SecurityGroupDrift',
    },
    'security groups by other tags': {
      spec: { securityGroupSelectorTerms: [{ tags: { a: 'b' } }] },
      want: 'replace SecurityGroupDrift',
    },
    'subnets by id, that of the zone among them': {
      spec: { subnetSelectorTerms: [{ id: 'subnet-a' }] },
      want: 'inPlace',
    },
    'subnets by id, none of them in the zone': {
      spec: { subnetSelectorTerms: [{ id: 'subnet-b' }] },
      want: 'replace SubnetDrift',
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { spec, want }) => {
    expect(actions(planOf(aFleet({ machines: { n1: {} } }), [aFleetClass(spec)]))).toEqual({ n1: want })
  })

  const told: Record<
    string,
    {
      readonly spec?: Parameters<typeof aFleetClass>[0]
      readonly resolved: ResolvedClass
      readonly want: string
      readonly field?: FieldChange
    }
  > = {
    'security groups are the same in another order': {
      spec: { securityGroupSelectorTerms: [{ tags: { a: 'b' } }] },
      resolved: { securityGroups: [{ id: 'sg-2' }, { id: 'sg-1' }, { id: 'sg-2' }] },
      want: 'inPlace',
    },
    'security groups are others, though no selector changes': {
      resolved: { securityGroups: [{ id: 'sg-3' }] },
      want: 'replace SecurityGroupDrift',
      field: { path: 'status.securityGroups', old: ['sg-1', 'sg-2'], new: ['sg-3'] },
    },
    'one of several security groups is missing': {
      resolved: { securityGroups: [{ id: 'sg-1' }] },
      want: 'replace SecurityGroupDrift',
      field: { path: 'status.securityGroups', old: ['sg-1', 'sg-2'], new: ['sg-1'] },
    },
    'subnets of the zone are among those of a changed selector': {
      spec: { subnetSelectorTerms: [{ tags: { a: 'b' } }] },
      resolved: { subnets: ['subnet-a', 'subnet-a2', 'subnet-d'].map((id) => ({ id, zone: 'us-east-1a' })) },
      want: 'inPlace',
    },
    'a subnet of the zone is missing, which may be that of the node': {
      resolved: { subnets: [{ id: 'subnet-a', zone: 'us-east-1a' }] },
      want: 'replace SubnetDrift',
      field: { path: 'status.subnets', old: ['subnet-a', 'subnet-a2'], new: ['subnet-a'] },
    },
    'there is no image for the architecture': {
      resolved: {
        amis: [{ id: 'ami-1', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] }],
      },
      want: 'replace AMIDrift',
      field: { path: 'status.amis', old: 'ami-1', new: 'none for m5.large' },
    },
  }
  test.each(Object.entries(told))('where it is told that %s', (_name, { spec = {}, resolved, want, field }) => {
    const known = aFleetClass()
    const nodeClass: EC2NodeClass = {
      ...known,
      status: {
        ...known.status,
        securityGroups: [{ id: 'sg-1' }, { id: 'sg-2' }],
        subnets: [
          { id: 'subnet-a', zone: 'us-east-1a' },
          { id: 'subnet-b', zone: 'us-east-1b' },
          { id: 'subnet-a2', zone: 'us-east-1a' },
        ],
      },
    }
    const cluster = aFleet({ nodeClass, machines: { n1: {} } })
    const plan = planOf(cluster, [aFleetClass(spec)], { resolved: new Map([['default', resolved]]) })
    expect(actions(plan)).toEqual({ n1: want })
    if (field !== undefined) expect(plan.nodes[0]?.fields).toEqual([field])
  })

  const byID: Record<string, { readonly terms: readonly object[]; readonly imageID?: string; readonly want: string }> =
    {
      'its own among them': { terms: [{ id: 'ami-2' }, { id: 'ami-1' }], want: 'inPlace' },
      'others than its own': { terms: [{ id: 'ami-2' }], want: 'replace AMIDrift' },
      'its own and what a tag finds, which may be for it': {
        terms: [{ id: 'ami-1' }, { tags: { a: 'b' } }],
        want: 'replace AMIDrift',
      },
      'others than it has, as long as it has none': { terms: [{ id: 'ami-2' }], imageID: '', want: 'inPlace' },
    }
  test.each(Object.entries(byID))('images by id, %s', (_name, { terms, want, imageID = 'ami-1' }) => {
    const classOf = (amiSelectorTerms: object[]) => aFleetClass({ amiFamily: 'AL2023', amiSelectorTerms })
    const cluster = aFleet({ nodeClass: classOf([{ id: 'ami-1' }, { id: 'ami-9' }]), machines: { n1: { imageID } } })
    expect(actions(planOf(cluster, [classOf([...terms])]))).toEqual({ n1: want })
  })
})

describe('what only the cloud shows', () => {
  const [claim, node] = aMachine('n1', aFleetPool(), aFleetClass(), { driftedSince: '2026-06-14T10:00:00Z' })
  const found = (reason: string, message: string) => {
    const conditions = claim.status?.conditions?.map((entry) =>
      entry.type === 'Drifted' ? { ...entry, reason, message } : entry,
    )
    return [aFleetPool(), aFleetClass(), { ...claim, status: { ...claim.status, conditions } }, node]
  }

  test.each(['SecurityGroupDrift', 'SubnetDrift', 'CapacityReservationDrift', 'PlacementGroupDrift'])(
    '%s that was found stays, also when the class changes otherwise',
    (reason) => {
      const cluster = found(reason, `${reason}: somewhere else`)
      expect(actions(planOf(cluster, []))).toEqual({ n1: `replace ${reason}` })
      const sameImages = new Map([['default', { amis: aFleetClass().status?.amis ?? [] }]])
      const alias = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
      expect(actions(planOf(cluster, [alias], { resolved: sameImages }))).toEqual({ n1: `replace ${reason}` })
    },
  )

  test('is no longer true of what has been put right', () => {
    expect(actions(planOf(found('AMIDrift', 'AMIDrift'), []))).toEqual({ n1: 'stay' })
  })
})

describe('a node in a capacity reservation', () => {
  const old = aFleetClass({ capacityReservationSelectorTerms: [{ tags: { for: 'web' } }] })
  const label = 'karpenter.k8s.aws/capacity-reservation-id'
  const cluster = aFleet({ nodeClass: old, machines: { n1: {}, n2: {} } }).map((object) =>
    object.metadata.name === 'claim-n1'
      ? { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, [label]: 'cr-1' } } }
      : object,
  )
  const cases: Record<string, { readonly terms: readonly object[]; readonly want: string }> = {
    'that its class no longer selects': { terms: [], want: 'replace CapacityReservationDrift' },
    'that nobody can say is still selected': {
      terms: [{ tags: { for: 'db' } }],
      want: 'replace CapacityReservationDrift',
    },
    'beside which its class selects others': { terms: [{ id: 'cr-2' }, { tags: { for: 'web' } }], want: 'inPlace' },
    'that its class now names': { terms: [{ id: 'cr-1' }], want: 'inPlace' },
  }
  test.each(Object.entries(cases))('%s', (_name, { terms, want }) => {
    const plan = planOf(cluster, [aFleetClass({ capacityReservationSelectorTerms: [...terms] })])
    expect(actions(plan)).toEqual({ n1: want, n2: 'inPlace' })
  })
})
