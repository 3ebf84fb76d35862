import { expect, test } from 'vitest'
import { anEmbeddedOperator } from '../../support/embedded-operator.ts'

test('an EC2 that answers at none of its addresses is named in the log, and the operator starts once it does', async () => {
  let isReachable = false
  const refused = ['10.0.1.5', '10.0.2.5'].map((address) => new Error(`connect ETIMEDOUT ${address}:443`))
  const { log, operator, cluster, stop } = await anEmbeddedOperator({}, ({ aws: { clients } }) => ({
    ...clients,
    ec2: {
      ...clients.ec2,
      describeInstanceTypes: (input, options) =>
        isReachable ? clients.ec2.describeInstanceTypes(input, options) : Promise.reject(new AggregateError(refused)),
    },
  }))
  await cluster.clock.run({ forMs: 60_000 })
  const told = log.lines.filter(({ message }) => message === 'cannot start yet').map(({ fields }) => fields['err'])
  expect(told).toMatchObject([
    {
      message: 'ec2 api connectivity check failed, connect ETIMEDOUT 10.0.1.5:443; connect ETIMEDOUT 10.0.2.5:443',
    },
  ])
  isReachable = true
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  await stop()
})
