import { expect, test } from 'vitest'
import { KubeError, type KubeErrorCode } from '../../../src/kube/errors.ts'
import { services } from '../../../src/kube/kinds.ts'
import { readDNSAddress } from '../../../src/operator/dns-address.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const unable = 'unable to detect the IP of the kube-dns service'

async function read(code?: KubeErrorCode) {
  const kube = new FakeKubeClient()
  await kube.create(services, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'kube-system', name: 'kube-dns' },
    spec: { clusterIP: '172.20.0.10' },
  })
  kube.fault = () => {
    if (code !== undefined) throw new KubeError(code, 0, 'no')
  }
  const log = recordingLogger()
  const address = await readDNSAddress(kube, log)
  return { address, told: log.lines.filter(({ message }) => message === unable).length }
}

test('the address of kube-dns', async () => {
  expect(await read()).toEqual({ address: '172.20.0.10', told: 0 })
})

test.each(['NotFound', 'Forbidden'] as const)(
  'is unknown where the Service is %s, and the log says so',
  async (code) => {
    expect(await read(code)).toEqual({ address: undefined, told: 1 })
  },
)

test.each(['InternalError', 'Timeout', 'Network'] as const)('is asked for again after %s', async (code) => {
  await expect(read(code)).rejects.toThrow('no')
})
