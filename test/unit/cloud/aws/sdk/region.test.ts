import { expect, test } from 'vitest'
import { regionFromEnvironment, regionFromMetadata } from '../../../../../src/cloud/aws/sdk/region.ts'

/** The metadata service of an instance in eu-north-1, and what it was asked for. */
function aMetadataService() {
  const asked: string[] = []
  const fetcher: typeof fetch = async (url, { method = 'GET', headers = {} } = {}) => {
    asked.push(`${method} ${String(url)}`)
    if (method === 'PUT') return new Response('token')
    const { 'X-aws-ec2-metadata-token': token } = headers as Record<string, string>
    return token === 'token' ? new Response('eu-north-1\n') : new Response('', { status: 401 })
  }
  return { asked, fetcher }
}

test.each([
  [{ AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-1'],
  [{ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-2'],
  [{ AWS_DEFAULT_REGION: 'eu-west-2' }, 'eu-west-2'],
  [{}, undefined],
])('of the environment %j the region is %s', (env, region) => {
  expect(regionFromEnvironment(env)).toBe(region)
})

test('the region of an instance is read with a token, as version 2 of the service wants it', async () => {
  const { asked, fetcher } = aMetadataService()
  expect(await regionFromMetadata(undefined, fetcher)).toBe('eu-north-1')
  expect(asked).toEqual([
    'PUT http://169.254.169.254/latest/api/token',
    'GET http://169.254.169.254/latest/meta-data/placement/region',
  ])
})

test('the service may be at another address', async () => {
  const { asked, fetcher } = aMetadataService()
  expect(await regionFromMetadata('http://[fd00:ec2::254]/', fetcher)).toBe('eu-north-1')
  expect(asked[0]).toBe('PUT http://[fd00:ec2::254]/latest/api/token')
})

test('where nothing tells a region, the error says what was tried', async () => {
  const refused: typeof fetch = () => Promise.reject(new Error('connect EHOSTUNREACH'))
  await expect(regionFromMetadata(undefined, refused)).rejects.toMatchObject({
    code: 'Region',
    message: 'no AWS region is configured, and the instance metadata service does not tell one',
  })
})
