import { awsPortContract } from '../../../contracts/aws-port.ts'
import { anAccount } from './world.ts'

const discovery = { Key: 'karpenter.sh/discovery', Value: 'demo' }

awsPortContract('the simulated AWS', async () => {
  const { aws, clock } = anAccount()
  for (const group of aws.state.securityGroups) group.tags[discovery.Key] = discovery.Value
  aws.createQueue('contract')
  const image = aws.state.images.find(
    ({ architecture, name }) => architecture === 'x86_64' && name.includes('standard'),
  )
  const parameter = Object.entries(aws.state.parameters).find(([, value]) => value === image?.id)
  return {
    clients: aws.clients,
    discovery,
    clusterName: 'demo',
    kubernetesVersion: '1.33',
    image: { id: image?.id ?? '', name: image?.name ?? '', parameter: parameter?.[0] ?? '' },
    role: 'node',
    queue: { name: 'contract', send: async (body) => aws.sendMessage(body, 'contract') },
    pause: async () => {
      await clock.run({ forMs: 60_000 })
    },
    stop: async () => undefined,
  }
})
