import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { requireOwnKubeconfig } from '../../../../src/cli/up/kubeconfig-file.ts'
import { kubeconfigText } from '../../../../src/embedded/apiserver/http/kubeconfig.ts'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'up-kubeconfig-'))
  path = join(folder, 'config')
})
afterEach(() => rmSync(folder, { recursive: true }))

function kubeconfig(name: string, server: string): string {
  return kubeconfigText({ name, server, authority: 'authority', client: { certificate: 'certificate', key: 'key' } })
}

const foreign: Record<string, string> = {
  "somebody's clusters": kubeconfig('production', 'https://api.example'),
  "a cluster of somebody's on this machine": kubeconfig('kind-kind', 'https://127.0.0.1:38211'),
  'a cluster elsewhere of the same name': kubeconfig('joinery', 'https://api.example'),
  'an own one, and others that were merged into it': kubeconfig('joinery', 'https://127.0.0.1:16443').replace(
    'contexts:\n',
    'contexts:\n  - { name: production, context: { cluster: production } }\n',
  ),
  'no kubeconfig': 'apiVersion: v1\nkind: ConfigMap\n',
  'no YAML': '{',
}
test.each(Object.entries(foreign))('a file that holds %s is not written over', (_name, text) => {
  writeFileSync(path, text)
  expect(() => requireOwnKubeconfig(path)).toThrow(
    `${path} was not written by \`joinery up\`, and what it holds would be lost: try --kubeconfig <another file>`,
  )
})

test('that of an earlier run is, and so is an empty one', () => {
  expect(() => requireOwnKubeconfig(path)).not.toThrow()
  for (const text of ['', '\n', kubeconfig('joinery', 'https://127.0.0.1:16443')]) {
    writeFileSync(path, text)
    expect(() => requireOwnKubeconfig(path)).not.toThrow()
  }
})
