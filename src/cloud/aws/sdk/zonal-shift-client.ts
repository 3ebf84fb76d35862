import { partition } from '@aws-sdk/core/client'
import { EKSClient, type EKSClientConfig } from '@aws-sdk/client-eks'
import { makeBuilder } from '@smithy/core/client'
import { getEndpointPlugin } from '@smithy/core/endpoints'
import type { ManagedResource, ZonalShiftClient } from '../clients.ts'
import { observeAttempts } from './attempt-observer.ts'
import { type Invoker, toCall } from './invoke.ts'
import { clientConfig, type ClientConfig, type SDKOptions } from './sdk-config.ts'

/** Begins the names of its hosts, and is what requests are signed for. */
const service = 'arc-zonal-shift'
const namespace = 'com.amazonaws.arczonalshift'

interface ManagedResourceAnswer {
  readonly $metadata: object
  readonly zonalShifts?: readonly {
    readonly awayFrom?: string
    readonly expiryTime?: Date
    readonly appliedStatus?: string
  }[]
  readonly autoshifts?: readonly { readonly awayFrom?: string; readonly appliedStatus?: string }[]
}

interface Sender {
  send(command: object, options: { readonly abortSignal: AbortSignal }): Promise<ManagedResourceAnswer>
}

const command = makeBuilder(
  {
    UseFIPS: { type: 'builtInParams', name: 'useFipsEndpoint' },
    Endpoint: { type: 'builtInParams', name: 'endpoint' },
    Region: { type: 'builtInParams', name: 'region' },
    UseDualStack: { type: 'builtInParams', name: 'useDualstackEndpoint' },
  },
  'PercDataPlane',
  'ARCZonalShiftClient',
  getEndpointPlugin,
)

/** The SDK writes shapes as arrays: kind, namespace, name, traits, names of the members, their kinds, how many of them are required. */
const kinds = { text: 0, list: 1, structure: 3, timestamp: 4, operation: 9 } as const
const inPath = 1

/** Of the answer only what is read. */
const GetManagedResourceCommand = command({}, () => [], 'GetManagedResource', [
  kinds.operation,
  namespace,
  'GetManagedResource',
  { http: ['GET', '/managedresources/{resourceIdentifier}', 200] },
  [kinds.structure, namespace, 'GetManagedResourceRequest', 0, ['resourceIdentifier'], [[kinds.text, inPath]], 1],
  [
    kinds.structure,
    namespace,
    'GetManagedResourceResponse',
    0,
    ['zonalShifts', 'autoshifts'],
    [
      [
        kinds.list,
        namespace,
        'ZonalShiftsInResource',
        0,
        [
          kinds.structure,
          namespace,
          'ZonalShiftInResource',
          0,
          ['awayFrom', 'expiryTime', 'appliedStatus'],
          [kinds.text, kinds.timestamp, kinds.text],
        ],
      ],
      [
        kinds.list,
        namespace,
        'AutoshiftsInResource',
        0,
        [kinds.structure, namespace, 'AutoshiftInResource', 0, ['awayFrom', 'appliedStatus'], [kinds.text, kinds.text]],
      ],
    ],
  ],
])

export function createZonalShiftClient(invoker: Invoker, region: string, options: SDKOptions): ZonalShiftClient {
  const eks = new EKSClient(zonalShiftConfig(clientConfig(service, region, options)))
  observeAttempts(eks, service, invoker)
  const client: Sender = eks
  const ask = toCall(invoker, {
    service,
    action: 'GetManagedResource',
    send: (input: { readonly resourceIdentifier: string }, { abortSignal }) =>
      client.send(new GetManagedResourceCommand(input), { abortSignal }),
  })
  return { getManagedResource: async (input, options) => toManagedResource(await ask(input, options)) }
}

/**
 * The SDK's clients differ in their settings alone. That of EKS speaks the same protocol and signs in the same way; here it is given
 * the name, hosts and signing name of ARC's zonal shift, whose own package is thus not needed. The SDK reads
 * AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT, which follows from `serviceId`.
 */
function zonalShiftConfig(config: ClientConfig): EKSClientConfig {
  return {
    ...config,
    serviceId: 'ARC Zonal Shift',
    protocolSettings: { defaultNamespace: namespace, errorTypeRegistries: [], version: '2022-10-30' },
    endpointProvider: ({ Endpoint, Region = config.region, UseFIPS = false, UseDualStack = false }) => ({
      url: new URL(Endpoint ?? `https://${zonalShiftHost(Region, { fips: UseFIPS, dualStack: UseDualStack })}`),
      properties: { authSchemes: [{ name: 'sigv4', signingName: service, signingRegion: Region, properties: {} }] },
    }),
  }
}

/** Name of the host in a region; which partition the region is in says how it ends. */
export function zonalShiftHost(
  region: string,
  { fips, dualStack }: { readonly fips: boolean; readonly dualStack: boolean },
): string {
  const { dnsSuffix, dualStackDnsSuffix } = partition(region)
  return `${service}${fips ? '-fips' : ''}.${region}.${dualStack ? dualStackDnsSuffix : dnsSuffix}`
}

/** Entries that do not say what they need to are left out. */
function toManagedResource(answer: ManagedResourceAnswer): ManagedResource {
  const zonalShifts = (answer.zonalShifts ?? []).flatMap(({ awayFrom, expiryTime, appliedStatus }) =>
    awayFrom === undefined || expiryTime === undefined
      ? []
      : [{ awayFrom, expiryTime, appliedStatus: appliedStatus ?? '' }],
  )
  const autoshifts = (answer.autoshifts ?? []).flatMap(({ awayFrom, appliedStatus = '' }) =>
    awayFrom === undefined ? [] : [{ awayFrom, appliedStatus }],
  )
  return autoshifts.length === 0 ? { zonalShifts } : { zonalShifts, autoshifts }
}
