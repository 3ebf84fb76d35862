import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2'
import { expect, test } from 'vitest'
import { clientConfig } from '../../../../../src/cloud/aws/sdk/sdk-config.ts'

test('a request that nobody answers fails when its time is up', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const config = clientConfig('ec2', 'us-east-1', { endpoints: { ec2: endpoint }, version: '1.2.3' })
  const ec2 = new EC2Client({
    ...config,
    requestHandler: { ...config.requestHandler, requestTimeout: 50 },
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  })
  try {
    await expect(ec2.send(new DescribeSubnetsCommand({}))).rejects.toMatchObject({ name: 'TimeoutError' })
  } finally {
    ec2.destroy()
    silent.closeAllConnections()
    silent.close()
  }
})
