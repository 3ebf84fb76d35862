import type { ManagedResource, ZonalShiftClient } from '../clients.ts'
import { type Invoker, toCall } from './invoke.ts'
import { clientConfig, type SDKOptions } from './sdk-config.ts'

/** Few clusters use zonal shift, so its SDK client is not among our dependencies; who switches it on installs it beside. */
const packageName = '@aws-sdk/client-arc-zonal-shift'

class ZonalShiftUnavailableError extends Error {
  readonly code = 'ZonalShiftUnavailable'
  constructor(cause: unknown) {
    super(`zonal shift is enabled, but ${packageName} is not installed`, { cause })
    this.name = 'ZonalShiftUnavailableError'
  }
}

interface ZonalShiftModule {
  readonly ARCZonalShiftClient: new (
    config: object,
  ) => {
    send(command: object, options: { abortSignal: AbortSignal }): Promise<ManagedResourceAnswer>
  }
  readonly GetManagedResourceCommand: new (input: { resourceIdentifier: string }) => object
}

interface ManagedResourceAnswer {
  readonly zonalShifts?: readonly { awayFrom?: string; expiryTime?: Date; appliedStatus?: string }[]
}

/** @throws ZonalShiftUnavailableError */
export async function createZonalShiftClient(
  invoker: Invoker,
  region: string,
  options: SDKOptions,
): Promise<ZonalShiftClient> {
  const name: string = packageName
  let sdk: ZonalShiftModule
  try {
    sdk = (await import(name)) as ZonalShiftModule
  } catch (error) {
    throw new ZonalShiftUnavailableError(error)
  }
  const client = new sdk.ARCZonalShiftClient(clientConfig('arc-zonal-shift', region, options))
  return {
    getManagedResource: toCall(invoker, {
      service: 'arc-zonal-shift',
      action: 'GetManagedResource',
      async send(input, { abortSignal }) {
        const answer = await client.send(new sdk.GetManagedResourceCommand(input), { abortSignal })
        return toManagedResource(answer)
      },
    }),
  }
}

/** Entries that do not say what they need to are left out. */
function toManagedResource(answer: ManagedResourceAnswer): ManagedResource {
  return {
    zonalShifts: (answer.zonalShifts ?? []).flatMap(({ awayFrom, expiryTime, appliedStatus }) =>
      awayFrom === undefined || expiryTime === undefined
        ? []
        : [{ awayFrom, expiryTime, appliedStatus: appliedStatus ?? '' }],
    ),
  }
}
