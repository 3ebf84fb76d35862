import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse as parseTOML } from 'smol-toml'
import { beforeAll, expect, test } from 'vitest'
import type { UserDataInputs } from '../../../src/cloud/aws/userdata/inputs.ts'
import { renderUserData } from '../../../src/cloud/aws/userdata/user-data.ts'
import { demoInputs } from '../../support/user-data-inputs.ts'
import { karpenterUserData } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'

const nodeClass = 'some-class'
const nodePool = 'some-pool'
const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' } as const

/** What Karpenter's own tests give and expect, read from the release. */
await describeWithPeers('user data as Karpenter 1.14 renders it', ['karpenter'], () => {
  let folder: string
  beforeAll(async () => {
    folder = await karpenterUserData()
  })

  test.each([
    ['AL2', 'al2_userdata', undefined],
    ['AL2', 'al2_userdata', 'al2_userdata_input'],
    ['AL2', 'al2_userdata', 'al2_no_mime_userdata_input'],
    ['AL2', 'al2_userdata', 'al2_userdata_content_type_first_input'],
    ['AL2023', 'al2023_userdata', undefined],
    ['AL2023', 'al2023_mime_userdata', 'al2023_mime_userdata_input'],
    ['AL2023', 'al2023_yaml_userdata', 'al2023_yaml_userdata_input'],
    ['AL2023', 'al2023_shell_userdata', 'al2023_shell_userdata_input'],
    ['Windows2022', 'windows_userdata', undefined],
    ['Windows2022', 'windows_userdata', 'windows_userdata_input'],
  ] as const)('%s: %s of %s', async (family, name, input) => {
    const inputs = await inputsOf(family, input)
    const wanted = await wantedOf(name, input)
    // Line breaks are not compared there either.
    expect(withoutBreaks(renderUserData(inputs))).toBe(withoutBreaks(wanted))
  })

  test.each([undefined, 'br_userdata_input'])('Bottlerocket, the settings of %s', async (input) => {
    const inputs = await inputsOf('Bottlerocket', input)
    const taints = [
      { key: 'foo', value: 'bar', effect: 'NoExecute' },
      { key: 'baz', value: 'bin', effect: 'NoExecute' },
    ] as const
    const rendered = renderUserData({ ...inputs, taints: [...taints, unregistered] })
    expect(parseTOML(rendered)).toEqual(parseTOML(await wantedOf('br_userdata', input)))
  })

  async function inputsOf(family: UserDataInputs['family'], input: string | undefined): Promise<UserDataInputs> {
    const kubelet = { clusterDNS: ['10.0.100.10'], maxPods: 110 }
    return demoInputs({
      family,
      clusterName: 'test-cluster',
      clusterEndpoint: 'https://test-cluster',
      caBundle: Buffer.from('ca-bundle\n').toString('base64'),
      clusterCIDR: '10.100.0.0/16',
      kubelet,
      rawKubelet: kubelet,
      taints: [unregistered],
      labels: {
        'karpenter.k8s.aws/ec2nodeclass': nodeClass,
        'karpenter.sh/capacity-type': family === 'Windows2022' ? 'spot' : 'on-demand',
        'karpenter.sh/do-not-sync-taints': 'true',
        'karpenter.sh/nodepool': nodePool,
        'testing/cluster': 'unspecified',
      },
      customUserData: input === undefined ? undefined : filled(await read(input), ['karpenter.sh/nodepool']),
    })
  }

  async function wantedOf(name: string, input: string | undefined): Promise<string> {
    const text = await read(`${name}_${input === undefined ? 'unmerged' : 'merged'}`)
    return filled(text, [nodeClass, 'karpenter.sh/nodepool', nodePool])
  }

  function read(name: string): Promise<string> {
    return readFile(join(folder, `${name}.golden`), 'utf8')
  }
})

/** As Go's `fmt.Sprintf` fills in texts. */
function filled(text: string, values: readonly string[]): string {
  const left = [...values]
  return text.replaceAll(/%[%s]/g, (verb) => (verb === '%%' ? '%' : (left.shift() ?? '')))
}

function withoutBreaks(text: string): string {
  return text.replaceAll('\n', '')
}
