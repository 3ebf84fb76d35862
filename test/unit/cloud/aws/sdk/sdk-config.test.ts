import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTLSServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2'
import { expect, test } from 'vitest'
import { clientConfig } from '../../../../../src/cloud/aws/sdk/sdk-config.ts'
import { servingCertificate } from '../../../../support/serving-certificate.ts'

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

test('who answers must be known to the bundle that the environment names, if it names one', async () => {
  const [ours, other] = [await servingCertificate(), await servingCertificate()]
  const { certificate, key } = ours.leaf
  const subnets = '<R><subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet></R>'
  const inspecting = createTLSServer({ cert: certificate, key }, (_request, response) => response.end(subnets))
  await new Promise<void>((resolve) => inspecting.listen(0, '127.0.0.1', resolve))
  const endpoint = `https://localhost:${(inspecting.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  const answerWith = async (bundle: string | undefined) => {
    const path = join(folder, 'bundle.pem')
    if (bundle !== undefined) writeFileSync(path, bundle)
    const env = bundle === undefined ? {} : { AWS_CA_BUNDLE: path }
    const config = clientConfig('ec2', 'us-east-1', { endpoints: { ec2: endpoint }, version: '1.2.3', env })
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
    const ec2 = new EC2Client({ ...config, credentials, maxAttempts: 1 })
    try {
      const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}))
      return Subnets.map(({ SubnetId }) => SubnetId)
    } finally {
      ec2.destroy()
    }
  }
  try {
    expect(await answerWith(ours.authority.certificate)).toEqual(['subnet-1'])
    await expect(answerWith(other.authority.certificate)).rejects.toThrow(/certificate/)
    await expect(answerWith(undefined)).rejects.toThrow(/certificate/)
  } finally {
    rmSync(folder, { recursive: true })
    inspecting.closeAllConnections()
    inspecting.close()
  }
})

test('a bundle that cannot be read is told by the name of its variable', () => {
  const env = { AWS_CA_BUNDLE: '/nowhere/bundle.pem' }
  expect(() => clientConfig('ec2', 'us-east-1', { version: '1.2.3', env })).toThrow(
    /^AWS_CA_BUNDLE, .*\/nowhere\/bundle\.pem/,
  )
})
