import { CreateFleetCommand, EC2Client, type FleetLaunchTemplateConfigRequest } from '@aws-sdk/client-ec2'
import { describe, expect, test } from 'vitest'
import {
  fleetRequest,
  templateConfigs,
  toSDKInstanceType,
} from '../../../../../src/cloud/aws/instance/fleet-request.ts'
import { oneValue } from '../../../../../src/model/requirement.ts'
import { requirementsOf } from '../../../../../src/model/requirements.ts'

/** As many bytes as the request has on its way to EC2. */
async function bytesOf(request: ReturnType<typeof fleetRequest>): Promise<number> {
  let bytes = 0
  const ec2 = new EC2Client({
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
    requestHandler: {
      handle: ({ body }: { body: string }) => {
        bytes = body.length
        return Promise.reject(new Error('not sent'))
      },
    },
  })
  await ec2.send(new CreateFleetCommand(request)).catch(() => undefined)
  return bytes
}

function configs(types: number, zones: number): FleetLaunchTemplateConfigRequest[] {
  return ['a', 'b'].map((template) => ({
    LaunchTemplateSpecification: { LaunchTemplateName: `karpenter.k8s.aws/${template}`, Version: '$Latest' },
    Overrides: Array.from({ length: types }, (_, type) =>
      Array.from({ length: zones }, (_none, zone) => ({
        InstanceType: toSDKInstanceType(`m6idn-${template}.${type}xlarge`),
        SubnetId: `subnet-0123456789abc${100 + zone}`,
        ImageId: 'ami-0123456789abcdef0',
        AvailabilityZone: `us-west-2-lax-${zone}a`,
        Priority: (type + 1) * 0.0512 + zone / 1e4,
      })),
    ).flat(),
  }))
}

const request = (wanted: FleetLaunchTemplateConfigRequest[], tags: Record<string, string> = {}) =>
  fleetRequest({
    capacityType: 'spot',
    reservation: undefined,
    configs: wanted,
    tags,
    context: undefined,
    annotations: {},
  })

describe('a fleet request', () => {
  test('of sixty types in five zones names all of them', async () => {
    const wanted = configs(30, 5)
    expect(request(wanted).LaunchTemplateConfigs).toEqual(wanted)
    expect(await bytesOf(request(wanted))).toBeLessThan(125_000)
  })

  test.each([
    ['many zones', configs(20, 17), {}],
    ['many tags', configs(30, 5), Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`t${n}`, 'x'.repeat(250)]))],
  ])('with %s leaves out the dearest pools, but no type, before EC2 finds it too large', async (_why, wanted, tags) => {
    const fitted = request(wanted, tags)
    const bytes = await bytesOf(fitted)
    expect(bytes).toBeLessThanOrEqual(125_000)
    expect(bytes).toBeGreaterThan(115_000)
    const kept = (fitted.LaunchTemplateConfigs ?? []).flatMap(({ Overrides = [] }) => Overrides)
    const asked = wanted.flatMap(({ Overrides = [] }) => Overrides)
    const typesOf = (overrides: typeof kept) => new Set(overrides.map(({ InstanceType }) => InstanceType))
    expect(typesOf(kept)).toEqual(typesOf(asked))
    const cheapest = asked.filter(({ InstanceType }) => InstanceType?.endsWith('.0xlarge'))
    expect(kept).toEqual(expect.arrayContaining(cheapest))
    const cheapestOfTypes = asked.filter(({ AvailabilityZone }) => AvailabilityZone === 'us-west-2-lax-0a')
    expect(kept).toEqual(expect.arrayContaining(cheapestOfTypes))
    const templates = (given: typeof wanted) => given.map((config) => config.LaunchTemplateSpecification)
    expect(templates(fitted.LaunchTemplateConfigs ?? [])).toEqual(templates(wanted))
  })

  test('names no template of which all pools were left out', () => {
    const [cheap] = configs(40, 17)
    const dear = {
      LaunchTemplateSpecification: { LaunchTemplateName: 'karpenter.k8s.aws/dear', Version: '$Latest' },
      Overrides: (cheap?.Overrides ?? []).map((it) => ({ ...it, Priority: (it.Priority ?? 0) + 100 })),
    }
    const fitted = request([...(cheap === undefined ? [] : [cheap]), dear]).LaunchTemplateConfigs
    expect(fitted?.map((config) => config.LaunchTemplateSpecification)).toEqual([cheap?.LaunchTemplateSpecification])
  })
})

describe('of the templates', () => {
  const offered = (as: string, price: number, zone: string) => ({
    requirements: requirementsOf(
      oneValue('karpenter.sh/capacity-type', as),
      oneValue('topology.kubernetes.io/zone', zone),
    ),
    price,
    available: true,
  })
  const template = (name: string, ...offerings: readonly ReturnType<typeof offered>[]) => ({
    name,
    amiID: 'ami-1',
    reservationID: undefined,
    types: [
      {
        name: `${name}.large`,
        requirements: requirementsOf(),
        capacity: new Map(),
        overhead: { kubeReserved: new Map(), systemReserved: new Map(), evictionThreshold: new Map() },
        offerings,
      },
    ],
  })
  const subnets = new Map(
    ['a', 'b'].map((zone) => [zone, { id: `subnet-${zone}`, zone, zoneID: undefined, freeAtPick: 9, taken: 1 }]),
  )
  const spot = requirementsOf(oneValue('karpenter.sh/capacity-type', 'spot'))

  test('those are asked for that have something to launch, cheapest first, where the class has a subnet', () => {
    const templates = [
      template('none', offered('on-demand', 1, 'a')),
      template('some', offered('spot', 3, 'a'), offered('spot', 2, 'b'), offered('spot', 1, 'elsewhere')),
    ]
    const wanted = (zone: string, Priority: number) => ({
      InstanceType: 'some.large',
      SubnetId: `subnet-${zone}`,
      ImageId: 'ami-1',
      AvailabilityZone: zone,
      Priority,
    })
    expect(templateConfigs(templates, subnets, spot)).toEqual([
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'some', Version: '$Latest' },
        Overrides: [wanted('b', 2), wanted('a', 3)],
      },
    ])
  })
})
