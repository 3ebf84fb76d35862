import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AWSClients, ZonalShiftClient } from '../../../src/cloud/aws/clients.ts'
import { zonalShiftHost } from '../../../src/cloud/aws/sdk/zonal-shift-client.ts'
import { credentials, region } from '../support/moto-account.ts'
import { clientsOf } from '../support/moto-clients.ts'
import { motoPython } from '../support/moto-python.ts'
import { type Moto, startMoto } from '../support/moto.ts'
import { describeWithPeers } from '../support/peers.ts'
import { runOrThrow } from '../support/run.ts'
import { shiftZones } from '../support/zonal-shifts.ts'

const cluster = 'arn:aws:eks:us-east-1:123456789012:cluster/demo'

/** Hosts as botocore resolves them, by its own rules for the service. */
const resolveHosts = `
import json, sys
from boto3 import Session
from botocore.config import Config
hosts = {}
for region, fips, dual in json.loads(sys.argv[1]):
    config = Config(use_fips_endpoint=fips, use_dualstack_endpoint=dual, ignore_configured_endpoint_urls=True)
    client = Session().client("arc-zonal-shift", region_name=region, config=config)
    hosts[f"{region} {fips} {dual}"] = client.meta.endpoint_url
print(json.dumps(hosts))
`

await describeWithPeers("ARC's zonal shift as botocore knows it", ['moto'], () => {
  let moto: Moto
  let clients: AWSClients

  beforeAll(async () => {
    moto = await startMoto()
    clients = await clientsOf({ env: envOf(credentials.secretAccessKey) })
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await moto.stop()
  })

  const envOf = (AWS_SECRET_ACCESS_KEY: string) => ({
    AWS_ENDPOINT_URL: moto.endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY,
  })
  const ask = (resourceIdentifier: string, { zonalShift }: { readonly zonalShift?: ZonalShiftClient } = clients) =>
    zonalShift?.getManagedResource({ resourceIdentifier })

  test("a request that fits the service's model and carries botocore's signature is answered", async () => {
    await shiftZones(moto.endpoint, cluster, [
      { awayFrom: 'use1-az1', expiryTime: '2030-01-02T03:04:05Z', appliedStatus: 'APPLIED' },
      { awayFrom: 'use1-az2', expiryTime: '2030-01-02T03:04:05.5Z', appliedStatus: 'NOT_APPLIED' },
    ])
    expect(await ask(cluster)).toEqual({
      zonalShifts: [
        { awayFrom: 'use1-az1', expiryTime: new Date('2030-01-02T03:04:05Z'), appliedStatus: 'APPLIED' },
        { awayFrom: 'use1-az2', expiryTime: new Date('2030-01-02T03:04:05.5Z'), appliedStatus: 'NOT_APPLIED' },
      ],
    })
    await shiftZones(moto.endpoint, cluster, [])
    expect(await ask(cluster)).toEqual({ zonalShifts: [] })
  })

  test('a cluster that nobody registered is not found', async () => {
    await expect(ask(`${cluster}-2`)).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      $metadata: { httpStatusCode: 404 },
    })
  })

  test('with another secret the signature does not match', async () => {
    const strangers = await clientsOf({ env: envOf('wrong') })
    await expect(ask(cluster, strangers)).rejects.toMatchObject({ name: 'AccessDeniedException' })
  })

  test('hosts are those that botocore finds', async () => {
    const cases = ['us-east-1', 'eu-central-1', 'cn-north-1', 'us-gov-west-1', 'us-iso-east-1'].flatMap((name) =>
      [
        [false, false],
        [true, false],
        [false, true],
      ]
        // There is neither in the isolated partitions.
        .filter(([fips, dual]) => !name.startsWith('us-iso') || !(fips || dual))
        .map(([fips = false, dual = false]) => [name, fips, dual] as const),
    )
    const python = await motoPython()
    const hosts: Record<string, string> = JSON.parse(
      await runOrThrow(python, ['-c', resolveHosts, JSON.stringify(cases)]),
    )
    expect(Object.values(hosts)).toEqual(
      cases.map(([name, fips, dualStack]) => `https://${zonalShiftHost(name, { fips, dualStack })}`),
    )
  })
})
