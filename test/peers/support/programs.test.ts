import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startControlPlane } from './control-plane.ts'
import { describeWithPeers } from './peers.ts'
import { controlPlaneProgram, kubectlProgram, whyNoControlPlane, whyNoKubectl } from './programs.ts'

const names = ['etcd', 'kube-apiserver', 'kubectl'] as const

await describeWithPeers('KUBEBUILDER_ASSETS', ['kube-apiserver', 'kubectl'], () => {
  let folder = ''
  /** What was started of the folder, a line each. */
  let started = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joinery-assets-'))
    started = join(folder, 'started')
    await writeFile(started, '')
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  })

  /** A folder of programs, as setup-envtest makes one; each leads to what is used without it. */
  async function useAssets(): Promise<string> {
    const assets = join(folder, 'assets')
    await mkdir(assets)
    for (const name of names) {
      const { command, args } = await (name === 'kubectl' ? kubectlProgram() : controlPlaneProgram(name))
      const words = [command, ...args].map((word) => `'${word}'`).join(' ')
      const script = `#!/bin/sh\necho ${name} >> '${started}'\nexec ${words} "$@"\n`
      await writeFile(join(assets, name), script, { mode: 0o755 })
    }
    vi.stubEnv('KUBEBUILDER_ASSETS', assets)
    return assets
  }

  test('is used instead of what would be built', async () => {
    await useAssets()
    const controlPlane = await startControlPlane()
    try {
      expect(await controlPlane.kubectl(['get', 'namespace', 'default', '-o', 'name'])).toMatchObject({
        code: 0,
        stdout: 'namespace/default\n',
      })
    } finally {
      await controlPlane.stop()
    }
    expect((await readFile(started, 'utf8')).trimEnd().split('\n').toSorted()).toEqual([...names])
  })

  test('is not fallen back from: what it lacks is named', async () => {
    const assets = await useAssets()
    expect(await whyNoControlPlane('etcd', 'kube-apiserver')).toBeUndefined()
    expect(await whyNoControlPlane('etcd', 'kube-scheduler')).toBe('KUBEBUILDER_ASSETS has no kube-scheduler')
    await writeFile(join(assets, 'kube-scheduler'), '', { mode: 0o644 })
    expect(await whyNoControlPlane('kube-scheduler')).toBe('KUBEBUILDER_ASSETS has no kube-scheduler')
  })

  test('need not have kubectl, which may be on the PATH', async () => {
    const assets = await useAssets()
    await rm(join(assets, 'kubectl'))
    expect(await whyNoKubectl()).toBeUndefined()
    expect((await kubectlProgram()).command).not.toContain(assets)
  })
})
