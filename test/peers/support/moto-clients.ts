import { vi } from 'vitest'
import type { AWSClients } from '../../../src/cloud/aws/clients.ts'
import { createSDKClients } from '../../../src/cloud/aws/sdk-clients.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { MetricCounts } from '../../support/controller-world.ts'
import type { MotoAccount } from './moto-account.ts'

/** The production clients on moto. The SDK finds region, endpoint and credentials in the environment, as it does in production. */
export async function clientsOf(account: Pick<MotoAccount, 'env'>): Promise<AWSClients> {
  for (const [name, value] of Object.entries(account.env)) vi.stubEnv(name, value)
  return createSDKClients({
    clock: systemClock(),
    metrics: new MetricCounts(),
    enableZonalShift: true,
    version: 'test',
  })
}
