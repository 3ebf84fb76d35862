import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { kubernetesYAML } from '../../../src/api/kubernetes-yaml.ts'
import { plainTexts } from '../../support/plain-texts.ts'
import { describeWithPeers } from '../support/peers.ts'
import { kubectlProgram } from '../support/programs.ts'
import { run } from '../support/run.ts'

await describeWithPeers('kubectl reads YAML as we do', ['kubectl'], () => {
  async function specOf(manifest: string): Promise<unknown> {
    const kubectl = await kubectlProgram()
    const folder = await mkdtemp(join(tmpdir(), 'joinery-yaml-'))
    try {
      const file = join(folder, 'object.yaml')
      await writeFile(file, manifest)
      const args = [...kubectl.args, 'annotate', '--local', '-f', file, 'a=b', '-o', 'json']
      const { code, stdout, stderr } = await run(kubectl.command, args, { env: { HOME: folder } })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      return (JSON.parse(stdout) as { spec: unknown }).spec
    } finally {
      await rm(folder, { recursive: true })
    }
  }
  const head = 'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: a }\n'

  test('plain words and numbers', async () => {
    const texts = Object.entries(plainTexts)
    const spec = await specOf(`${head}spec:\n  values: [${texts.map(([text]) => text).join(', ')}]\n`)
    expect(spec).toEqual({ values: texts.map(([, value]) => value) })
  })

  test('keys', async () => {
    const spec = await specOf(`${head}spec: { yes: a, n: b, 010: c, 1.5: d }\n`)
    expect(spec).toEqual({ true: 'a', false: 'b', 8: 'c', 1.5: 'd' })
  })

  test('what we print', async () => {
    const values = [...Object.keys(plainTexts), ...Object.values(plainTexts), 1e21, 0.1, '.inf', 'on call']
    expect(await specOf(`${head}${stringify({ spec: { values } }, kubernetesYAML)}`)).toEqual({ values })
  })
})
