import { describe, expect, test } from 'vitest'
import { aLaunchClaim, aNodeClass, aWebPool, capacityIn, typeIn, zones } from '../../../support/aws-world.ts'
import { aLaunchWorld, failFleets, fleetError, launch, overridesOf, refusal } from '../../../support/launch-world.ts'
import { aReservation } from '../../../support/reservation-record.ts'

describe('reserved capacity', () => {
  const reservation = (id: string, instanceType: string, zone: string, more: object = {}) => ({
    id,
    instanceType,
    availabilityZone: zone,
    instanceMatchCriteria: 'targeted' as const,
    ownerID: '123456789012',
    reservationType: 'default' as const,
    state: 'active' as const,
    interruptible: false,
    ...more,
  })

  async function reservedWorld(
    counts: readonly [string, string, string, number, object?][],
    types: readonly string[] = ['m5.large', 'm5.xlarge'],
  ) {
    const world = await aLaunchWorld({ types })
    for (const [id, instanceType, zone, total, more] of counts) {
      world.aws.state.reservations.push(aReservation({ id, instanceType, zone, total, ...more }))
    }
    const terms = counts.map(([id]) => ({ id }))
    await world.drive(world.cloud.reservations.list(terms))
    const capacityReservations = counts.map(([id, type, zone, , more = {}]) =>
      reservation(id, type, zone, 'type' in more ? { reservationType: more.type } : {}),
    )
    return {
      world,
      nodeClass: aNodeClass({ capacityReservationSelectorTerms: terms }, { status: { capacityReservations } }),
    }
  }

  const four = [
    ['cr-1', 'm5.large', 'us-east-1a', 10],
    ['cr-2', 'm5.large', 'us-east-1a', 15],
    ['cr-3', 'm5.large', 'us-east-1b', 10],
    ['cr-4', 'm5.xlarge', 'us-east-1b', 15],
  ] as const

  test('case 69: a template for each reservation, the fullest of each pool, and the count goes down', async () => {
    const { world, nodeClass } = await reservedWorld([
      ...four.map((row) => [...row] as [string, string, string, number]),
    ])
    const launched = await launch(world, aLaunchClaim([capacityIn('reserved')]), nodeClass)
    const templates = world.callsOf('ec2:CreateLaunchTemplate')
    expect(
      templates
        .map(
          (it) =>
            it.LaunchTemplateData?.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId ??
            '',
        )
        .toSorted(),
    ).toEqual(['cr-2', 'cr-3', 'cr-4'])
    expect(
      new Set(
        templates.map((it) => it.LaunchTemplateData?.CapacityReservationSpecification?.CapacityReservationPreference),
      ),
    ).toEqual(new Set(['capacity-reservations-only']))
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect(request?.LaunchTemplateConfigs?.map((config) => config.Overrides?.length)).toEqual([1, 1, 1])
    expect(request?.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe('on-demand')
    const used = launched.labels['karpenter.k8s.aws/capacity-reservation-id'] ?? ''
    const before = Object.fromEntries(four.map(([id, , , count]) => [id, count]))
    expect(world.cloud.reservations.remaining(used)).toBe((before[used] ?? 0) - 1)
    expect(launched.labels['karpenter.sh/capacity-type']).toBe('reserved')
  })

  test('CreateFleet takes fifty configurations: the cheapest of more reservations are asked for', async () => {
    const sizes = ['large', 'xlarge', '2xlarge', '4xlarge', '8xlarge', '12xlarge']
    const types = ['m6i', 'c6i', 'r6i'].flatMap((family) => sizes.map((size) => `${family}.${size}`)).slice(0, 17)
    const rows = types.flatMap((type) =>
      zones.map((zone): [string, string, string, number] => [`cr-${type}-${zone}`.replaceAll('.', ''), type, zone, 1]),
    )
    expect(rows).toHaveLength(51)
    const { world, nodeClass } = await reservedWorld(rows, types)
    await launch(world, aLaunchClaim([capacityIn('reserved')]), nodeClass)
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect(request?.LaunchTemplateConfigs).toHaveLength(50)
    const asked = overridesOf(request).map((it) => it.type)
    expect(types.filter((type) => asked.filter((it) => it === type).length < 3)).toEqual(['m6i.12xlarge'])
    expect(world.countOf('ec2:CreateLaunchTemplate')).toBe(50)
  })

  describe('of which EC2 has told nothing yet, as after a start', () => {
    async function freshWorld() {
      const { world, nodeClass } = await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 10]])
      world.cloud.reservations.clear()
      world.calls.length = 0
      return { world, nodeClass }
    }
    const either = aLaunchClaim([capacityIn('reserved', 'on-demand')])

    test('is asked for before a launch, which would otherwise be paid for once more', async () => {
      const { world, nodeClass } = await freshWorld()
      const launched = await launch(world, either, nodeClass)
      expect(launched.labels['karpenter.sh/capacity-type']).toBe('reserved')
      expect(world.cloud.reservations.remaining('cr-1')).toBe(9)
    })

    test('is not waited for when EC2 does not tell', async () => {
      const { world, nodeClass } = await freshWorld()
      world.aws.deny('ec2:DescribeCapacityReservations')
      const launched = await launch(world, either, nodeClass)
      expect(launched.labels['karpenter.sh/capacity-type']).toBe('on-demand')
    })

    test('is asked for also when EC2 told of another one of the class before it refused', async () => {
      const { world, nodeClass } = await reservedWorld([
        ['cr-1', 'm5.large', 'us-east-1a', 0],
        ['cr-2', 'm5.large', 'us-east-1b', 3],
      ])
      world.cloud.reservations.clear()
      let refusals = 0
      world.aws.faults.add(({ action, input }) =>
        action === 'DescribeCapacityReservations' && JSON.stringify(input).includes('cr-2') && (refusals += 1) === 1
          ? { kind: 'fail', error: new Error('throttled') }
          : undefined,
      )
      const capacityTypes: (string | undefined)[] = []
      for (const name of ['a', 'b']) {
        const claim = { ...either, metadata: { ...either.metadata, name, uid: name } }
        capacityTypes.push((await launch(world, claim, nodeClass)).labels['karpenter.sh/capacity-type'])
      }
      expect(capacityTypes).toEqual(['on-demand', 'reserved'])
    })

    test('is asked for once, also by launches that come together', async () => {
      const { world, nodeClass } = await freshWorld()
      world.nodeClasses.set('default', nodeClass)
      const claims = ['a', 'b', 'c'].map((name) => ({ ...either, metadata: { ...either.metadata, name, uid: name } }))
      await world.drive(Promise.all(claims.map((claim) => world.cloud.provider.create(claim))))
      await launch(world, either, nodeClass)
      expect(world.countOf('ec2:DescribeCapacityReservations')).toBe(1)
    })
  })

  test('one that launches more than was counted is empty, as nothing less can be left', async () => {
    const { reservations } = (await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 1]])).world.cloud
    for (const left of [0, 0]) {
      reservations.markLaunched('cr-1')
      expect(reservations.remaining('cr-1')).toBe(left)
    }
  })

  test('case 69: an exhausted reservation is counted as empty', async () => {
    const { world, nodeClass } = await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 10]])
    failFleets(world, fleetError('ReservationCapacityExceeded', 'm5.large', 'us-east-1a'))
    expect((await refusal(world, aLaunchClaim([capacityIn('reserved')]), nodeClass)).code).toBe('InsufficientCapacity')
    expect(world.cloud.reservations.remaining('cr-1')).toBe(0)
  })

  test('case 70: at equal prices the default reservation is chosen', async () => {
    const { world, nodeClass } = await reservedWorld([
      ['cr-1', 'm5.large', 'us-east-1a', 1],
      ['cr-2', 'm5.large', 'us-east-1b', 1, { type: 'capacity-block' }],
    ])
    await launch(world, aLaunchClaim([capacityIn('reserved')]), nodeClass)
    expect(overridesOf(world.callsOf('ec2:CreateFleet')[0]).map((it) => it.zone)).toEqual(['us-east-1a'])
  })

  test('case 70: a cheaper capacity block is one type in one zone', async () => {
    const { world, nodeClass } = await reservedWorld([
      ['cr-1', 'm5.xlarge', 'us-east-1a', 1],
      ['cr-2', 'm5.large', 'us-east-1b', 1, { type: 'capacity-block' }],
      ['cr-3', 'm5.large', 'us-east-1c', 1, { type: 'capacity-block' }],
    ])
    failFleets(world)
    await refusal(world, aLaunchClaim([capacityIn('reserved')]), nodeClass)
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect(overridesOf(request)).toHaveLength(1)
    expect(request?.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe('capacity-block')
    expect(request?.OnDemandOptions).toBeUndefined()
    expect(world.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.InstanceMarketOptions).toEqual({
      MarketType: 'capacity-block',
    })
  })

  test('a capacity block with nothing left does not narrow what else the claim takes', async () => {
    const { world, nodeClass } = await reservedWorld([
      ['cr-1', 'm5.large', 'us-east-1a', 1, { type: 'capacity-block' }],
    ])
    world.cloud.reservations.markExhausted('cr-1')
    const minTwo = { ...typeIn('m5.large', 'm5.xlarge'), minValues: 2 }
    await launch(world, aLaunchClaim([minTwo, capacityIn('reserved', 'on-demand')]), nodeClass)
    const overrides = overridesOf(world.callsOf('ec2:CreateFleet')[0])
    expect(new Set(overrides.map((it) => it.type))).toEqual(new Set(['m5.large', 'm5.xlarge']))
    expect(overrides).toHaveLength(6)
  })

  test.each([
    ['default', ['reserved']],
    ['capacity-block', ['reserved']],
    ['default', ['reserved', 'on-demand']],
  ] as const)('minValues keep nobody from a reservation, which is for one type: %s, of %s', async (type, takes) => {
    const { world, nodeClass } = await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 1, { type }]])
    const minTwo = { ...typeIn('m5.large', 'm5.xlarge'), minValues: 2 }
    const launched = await launch(world, aLaunchClaim([minTwo, capacityIn(...takes)]), nodeClass)
    expect(launched.labels['karpenter.k8s.aws/capacity-reservation-id']).toBe('cr-1')
  })

  test('an interruptible reservation is asked for as what it is', async () => {
    const { world, nodeClass } = await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 1]])
    const capacityReservations = (nodeClass.status?.capacityReservations ?? []).map((it) => ({
      ...it,
      interruptible: true,
    }))
    const interruptible = { ...nodeClass, status: { ...nodeClass.status, capacityReservations } }
    const launched = await launch(world, aLaunchClaim([capacityIn('reserved')]), interruptible)
    const request = world.callsOf('ec2:CreateFleet')[0]
    expect(request?.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe('reserved-capacity')
    expect(request?.ReservedCapacityOptions).toEqual({ ReservationTypes: ['interruptible-capacity-reservation'] })
    expect(request?.OnDemandOptions).toBeUndefined()
    expect(launched.labels['karpenter.k8s.aws/capacity-reservation-interruptible']).toBe('true')
  })

  test('without a reservation left, a claim that also takes on-demand gets it', async () => {
    const { world, nodeClass } = await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 10]])
    world.cloud.reservations.markExhausted('cr-1')
    await launch(world, aLaunchClaim([capacityIn('reserved', 'on-demand')]), nodeClass)
    expect(world.callsOf('ec2:CreateFleet')[0]?.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe(
      'on-demand',
    )
    expect(world.callsOf('ec2:CreateLaunchTemplate')[0]?.LaunchTemplateData?.CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'none',
    })
  })

  describe('drift of a node in a reservation', () => {
    /** Launched in cr-1; what has become of the class since, and what EC2 is asked for. */
    async function judged(terms: readonly object[], selected: readonly string[], outOfDate?: 'prime') {
      const { world, nodeClass } = await reservedWorld([['cr-1', 'm5.large', 'us-east-1a', 10]])
      world.nodePools.set('web', aWebPool())
      world.aws.state.reservations.push(aReservation({ id: 'cr-2', tags: { team: 'core' } }))
      const { providerID, labels } = await launch(world, aLaunchClaim([capacityIn('reserved')]), nodeClass)
      await world.world.run(60_000)
      const capacityReservations = selected.map((id) => reservation(id, 'm5.large', 'us-east-1a'))
      const changed = aNodeClass(
        { capacityReservationSelectorTerms: [...terms] },
        { status: selected.length === 0 ? {} : { capacityReservations } },
      )
      world.nodeClasses.set('default', changed)
      if (outOfDate !== undefined) {
        await world.drive(world.cloud.reservations.list([...terms]))
        const [known] = world.aws.state.reservations
        if (known !== undefined) known.tags = { team: 'core' }
      }
      const claim = aLaunchClaim([], { metadata: { labels }, status: { providerID, imageID: 'ami-amd' } })
      return await world.drive(world.cloud.provider.isDrifted(claim))
    }
    const drift = (wanted: string | undefined) => ({
      reason: 'CapacityReservationDrift',
      fields: [{ path: 'status.capacityReservations', old: 'cr-1', new: wanted }],
    })

    test('there is none while the class selects it', async () => {
      expect(await judged([{ id: 'cr-1' }], ['cr-1'])).toBeUndefined()
    })

    test('it has drifted once the class selects another, or none', async () => {
      expect(await judged([{ id: 'cr-2' }], ['cr-2'])).toEqual(drift('one of cr-2'))
      expect(await judged([], [])).toEqual(drift(undefined))
    })

    test('a status that is behind does not count: EC2 is asked, past what is remembered', async () => {
      expect(await judged([{ id: 'cr-1' }], ['cr-2'])).toBeUndefined()
      expect(await judged([{ tags: { team: 'core' } }], ['cr-2'], 'prime')).toBeUndefined()
    })
  })
})
