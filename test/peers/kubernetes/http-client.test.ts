import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { acquireLeadership } from '../../../src/kube/leader-election.ts'
import type { WatchEvent } from '../../../src/kube/port.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { createAuthority } from '../support/certificates.ts'
import { connect } from '../support/client.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

await describeWithPeers('our client against a real API server', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  const open: HTTPClient[] = []
  const client = (kubeconfig = controlPlane().kubeconfig): HTTPClient => {
    const opened = connect(kubeconfig)
    open.push(opened)
    return opened
  }
  afterEach(async () => {
    for (const opened of open.splice(0)) await opened.close()
  })

  const node = (name: string) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: {} })
  const pod = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
  })

  test('a token proves a service account, whose rights end where RBAC says', async () => {
    const kubeconfig = await controlPlane().serviceAccountKubeconfig('kube-system', 'nobody')
    await expect(client(kubeconfig).list(nodes)).rejects.toMatchObject({ code: 'Forbidden', status: 403 })
  })

  test('a server that another authority signed is not talked to', async () => {
    const stranger = (await createAuthority('stranger')).certificate
    const config = JSON.parse(await readFile(controlPlane().kubeconfig, 'utf8')) as {
      clusters: { cluster: Record<string, string> }[]
    }
    for (const { cluster } of config.clusters) {
      cluster['certificate-authority-data'] = Buffer.from(stranger).toString('base64')
    }
    const path = `${controlPlane().kubeconfig}-stranger`
    await writeFile(path, JSON.stringify(config))
    await expect(client(path).create(nodes, node('never'))).rejects.toMatchObject({ code: 'Network' })
  })

  test('a watch delivers what happens after a list, in order, until it is aborted', async () => {
    const kube = client()
    const { resourceVersion } = await kube.list(nodes)
    const stop = new AbortController()
    const seen: string[] = []
    const watching = (async () => {
      for await (const event of kube.watch(nodes, { resourceVersion, signal: stop.signal })) seen.push(summary(event))
    })()
    await kube.create(nodes, node('watched'))
    await kube.patch(nodes, { name: 'watched' }, { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } })
    await kube.delete(nodes, { name: 'watched' })
    await expect.poll(() => seen, { timeout: 20_000 }).toEqual(['ADDED watched', 'MODIFIED watched', 'DELETED watched'])
    stop.abort(new Error('enough'))
    await expect(watching).rejects.toThrow('enough')
  })

  test('pages follow each other', async () => {
    const kube = client()
    for (let i = 0; i < 7; i++)
      await kube.create(nodes, { ...node(`paged-${i}`), metadata: { name: `paged-${i}`, labels: { paged: '' } } })
    const names: string[] = []
    let more: string | undefined
    let pages = 0
    do {
      const page = await kube.list(nodes, {
        labelSelector: 'paged',
        limit: 3,
        ...(more === undefined ? {} : { continue: more }),
      })
      names.push(...page.items.map(({ metadata }) => metadata.name))
      more = page.continue
      pages += 1
    } while (more !== undefined)
    expect(names).toEqual(Array.from({ length: 7 }, (_, i) => `paged-${i}`))
    expect(pages).toBe(3)
  })

  test('of a page one item is decoded at a time', async () => {
    const kube = client()
    const made = ['lazy-1', 'lazy-2', 'lazy-3']
    for (const name of made) await kube.create(pods, pod(name))
    const parse = vi.spyOn(JSON, 'parse')
    try {
      const { items } = await kube.list(pods, { namespace: 'default' })
      expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(made))
      const heldBy = parse.mock.calls.map(([text]) => made.filter((name) => text.includes(`"name":"${name}"`)))
      expect(heldBy.filter((held) => held.length > 0)).toEqual(made.map((name) => [name]))
    } finally {
      parse.mockRestore()
    }
  })

  test('caches follow the server', async () => {
    const kube = client()
    await kube.create(pods, pod('before'))
    const stop = new AbortController()
    const caches = createCaches({ client: kube, clock: systemClock(), random: systemRandom(), log: recordingLogger() })
    const cache = caches.of<Pod>(pods)
    const nodeCache = caches.of<Node>(nodes)
    caches.start(stop.signal)
    await caches.synced()
    expect(cache.get({ namespace: 'default', name: 'before' })?.metadata.name).toBe('before')
    await kube.create(pods, pod('after'))
    const patience = { timeout: 20_000 }
    await expect.poll(() => cache.get({ namespace: 'default', name: 'after' })?.metadata.name, patience).toBe('after')
    await kube.delete(pods, { namespace: 'default', name: 'before' }, { gracePeriodSeconds: 0 })
    await expect.poll(() => cache.get({ namespace: 'default', name: 'before' }), patience).toBeUndefined()
    expect(nodeCache.list().length).toBe((await kube.list(nodes)).items.length)
    stop.abort()
    await caches.stopped()
  })

  test('of two candidates one leads, and the other follows when it lets go', async () => {
    const stop = new AbortController()
    const candidate = (identity: string) =>
      acquireLeadership(
        {
          client: client(),
          clock: systemClock(),
          random: systemRandom(),
          log: recordingLogger(),
          name: 'peer-test',
          namespace: 'kube-system',
          identity,
          retryPeriodMs: 200,
        },
        stop.signal,
      )
    const first = await candidate('one')
    let second: Awaited<ReturnType<typeof candidate>> | undefined
    const waiting = candidate('two').then((leadership) => {
      second = leadership
    })
    expect(first.holds()).toBe(true)
    expect(second).toBeUndefined()
    await first.release()
    await waiting
    expect(first.holds()).toBe(false)
    expect(second?.holds()).toBe(true)
    await second?.release()
    stop.abort()
  })
})

function summary(event: WatchEvent<Node>): string {
  return event.type === 'BOOKMARK' ? 'BOOKMARK' : `${event.type} ${event.object.metadata.name}`
}
