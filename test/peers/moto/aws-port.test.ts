import { vi } from 'vitest'
import { awsPortContract } from '../../contracts/aws-port.ts'
import { aliasParameter, clusterName, nodeRole, releases, startMotoAccount } from '../support/moto-account.ts'
import { clientsOf } from '../support/moto-clients.ts'
import { createQueue } from '../support/moto-queue.ts'
import { describeWithPeers } from '../support/peers.ts'

const kubernetesVersion = '1.33'

await describeWithPeers('the contract of the AWS port', ['moto'], () => {
  awsPortContract('moto, by the SDK over HTTP', async () => {
    const account = await startMotoAccount(kubernetesVersion)
    const clients = await clientsOf(account)
    const queue = await createQueue(account, 'contract')
    return {
      clients,
      discovery: { Key: 'karpenter.sh/discovery', Value: clusterName },
      clusterName,
      kubernetesVersion,
      image: {
        id: releases.v20260101,
        name: `amazon-eks-node-al2023-x86_64-standard-${kubernetesVersion}-v20260101`,
        parameter: aliasParameter(kubernetesVersion, 'v20260101'),
      },
      role: nodeRole,
      queue,
      // moto's instances are in their next state at once.
      pause: async () => undefined,
      stop: async () => {
        queue.stop()
        vi.unstubAllEnvs()
        await account.stop()
      },
    }
  })
})
