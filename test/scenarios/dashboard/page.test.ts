import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FleetView } from '../../../src/operator/dashboard/fleet-view.ts'
import { type FleetAvailability, startDashboardServer } from '../../../src/operator/dashboard/server.ts'
import type { RunningServer } from '../../../src/operator/servers.ts'
import { Chromium, findChromium } from '../../support/chromium.ts'
import { aFleetView, aNodeView, aPoolView, viewedAt } from '../../support/fleet-views.ts'

const path = findChromium()
if (path === undefined) {
  process.stderr.write('not run: the web page in a browser: no Chromium is installed, and CHROME_PATH names none\n')
}

const fleet = aFleetView(
  [
    aNodeView('node-a', { usdPerHour: 0.3, drifted: { reason: 'AMIDrift', message: 'AMIDrift: ami-1 -> ami-2' } }),
    aNodeView('node-b', { usdPerHour: 0.1, blocked: [{ code: 'PDBBlocked', message: 'shop/web allows none' }] }),
    aNodeView('node-c', { usdPerHour: 0.2, state: 'NotReady', pool: 'other' }),
  ],
  [
    aPoolView('general', {
      outlook: 'Progressing',
      reason: 'NodesDrifted',
      message: '1 node differs',
      upToDateNodes: 1,
    }),
  ],
)

describe.skipIf(path === undefined)('the web page in a browser', () => {
  let server: RunningServer
  let browser: Chromium
  let answer: FleetAvailability
  let url = ''

  beforeAll(async () => {
    server = await startDashboardServer({ host: '127.0.0.1', port: 0 }, () => answer)
    url = `http://127.0.0.1:${server.port}/`
    browser = await Chromium.start(path ?? '', { width: 1400, height: 900 })
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  beforeEach(async () => {
    show(fleet)
    browser.events.length = 0
    await browser.open(url)
    await browser.until(`document.querySelectorAll('#nodes tbody tr').length > 0`)
  })
  afterEach(() => {
    const wrong = browser.events.filter(
      ({ method, params }) =>
        method === 'Runtime.exceptionThrown' ||
        (method === 'Log.entryAdded' && !JSON.stringify(params).includes('503 (Service Unavailable)')),
    )
    expect(wrong).toEqual([])
  })

  function show(view: FleetView): void {
    answer = { kind: 'ready', source: { now: () => viewedAt, view: async () => view } }
  }

  function texts(selector: string): Promise<unknown> {
    return browser.evaluate(`[...document.querySelectorAll('${selector}')].map((element) => element.textContent)`)
  }

  /** Refreshes now instead of in three seconds. */
  function look(): Promise<unknown> {
    return browser.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  }

  const names = (): Promise<unknown> => texts('#nodes tbody th')

  test('shows pools, nodes, prices, rollouts and what blocks', async () => {
    expect(await names()).toEqual(['node-a', 'node-b', 'node-c'])
    expect(await texts('#pools tbody td.text')).toEqual(['1 of 2 up to date · NodesDrifted: 1 node differs'])
    expect(await texts('#nodes tbody td.text')).toEqual(['AMIDrift', 'PDBBlocked: shop/web allows none', ''])
    expect(await browser.evaluate(`document.querySelector('#nodes tbody td.text').title`)).toBe(
      'AMIDrift: ami-1 -> ami-2',
    )
    expect(await texts('#totals dd')).toEqual(['2 of 3', '6, 1 waiting', '50 % of 4 cores', '25 % of 8 GiB', '$0.20'])
    expect(await texts('#freshness')).toEqual(['As of 2026-03-01 12:00:00 UTC'])
  })

  test('follows the fleet: nodes come, go and change in place', async () => {
    show(aFleetView([aNodeView('node-b'), aNodeView('node-d')]))
    await look()
    await browser.until(`document.querySelector('#nodes').textContent.includes('node-d')`)
    expect(await names()).toEqual(['node-b', 'node-d'])
    expect(await texts('#nodes tbody td.text')).toEqual(['', ''])
  })

  test('refreshes by itself', async () => {
    show(aFleetView([aNodeView('node-z')]))
    await browser.until(`document.querySelector('#nodes').textContent.includes('node-z')`)
  })

  test('asks nobody but the server it came from', async () => {
    const requested = browser.events
      .filter(({ method }) => method === 'Network.requestWillBeSent')
      .map(({ params }) => (params['request'] as { url: string }).url)
    expect(requested.length).toBeGreaterThanOrEqual(4)
    expect(requested.filter((address) => !address.startsWith(url) && address !== 'data:,')).toEqual([])
  })

  test('text of the cluster is text: neither markup nor style nor script', async () => {
    const evil = `<img src=x onerror="globalThis.harmed=1"><script>globalThis.harmed=1</script>"'>`
    const node = aNodeView(evil, {
      pool: evil,
      instanceType: evil,
      zone: evil,
      drifted: { reason: evil, message: evil },
      blocked: [{ code: evil, message: evil }],
    })
    const pool = aPoolView(evil, { message: evil, outlook: 'Stalled', reason: 'x y', nodeClass: evil })
    show({
      ...aFleetView([{ ...node, state: `Ready" onclick="x` as 'Ready' }], [pool]),
      cluster: evil,
      classes: [pool],
    })
    await look()
    await browser.until(`document.querySelector('#nodes tbody th').textContent.includes('img')`)
    expect(await names()).toEqual([evil])
    expect(await texts('#cluster')).toEqual([evil])
    expect(
      await browser.evaluate(
        `document.querySelectorAll('img, script:not([src]), [onclick], [onerror], [style]').length`,
      ),
    ).toBe(0)
    expect(await browser.evaluate('globalThis.harmed')).toBeUndefined()
  })

  test('runs no script that the server did not send as a file', async () => {
    const violated = await browser.evaluate(`new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true })
      const script = document.createElement('script')
      script.textContent = 'globalThis.harmed = 1'
      document.body.append(script)
    })`)
    expect(violated).toBe('script-src-elem')
    expect(await browser.evaluate('globalThis.harmed')).toBeUndefined()
    browser.events.length = 0
  })

  test('sorts by a heading that the keyboard reaches, and says so to those who cannot see it', async () => {
    await browser.evaluate(
      `[...document.querySelectorAll('#nodes thead button')].find((button) => button.textContent === 'Per hour').focus()`,
    )
    await browser.press('Enter', '\r')
    expect(await names()).toEqual(['node-a', 'node-c', 'node-b'])
    const sorted = `[...document.querySelectorAll('#nodes th[aria-sort]')].filter((cell) => cell.ariaSort !== 'none').map((cell) => cell.textContent + ' ' + cell.ariaSort)`
    expect(await browser.evaluate(sorted)).toEqual(['Per hour descending'])
    await browser.press('Enter', '\r')
    expect(await names()).toEqual(['node-b', 'node-c', 'node-a'])
    expect(await browser.evaluate('document.activeElement.textContent')).toBe('Per hour')
  })

  test('everything that acts is in the tab order', async () => {
    const reached: unknown[] = []
    for (let presses = 0; presses < 24; presses += 1) {
      await browser.press('Tab')
      reached.push(
        await browser.evaluate(`document.activeElement.id || document.activeElement.textContent.slice(0, 20)`),
      )
    }
    expect(reached).toEqual(
      expect.arrayContaining(['Skip to the nodes', 'theme', 'filter', 'Name', 'Why it goes or stays']),
    )
  })

  test('a slash leads to the filter; what is typed there is looked for everywhere in a row', async () => {
    await browser.press('/', '/')
    expect(await browser.evaluate('document.activeElement.id')).toBe('filter')
    await browser.type('pdbblocked')
    expect(await names()).toEqual(['node-b'])
    expect(await texts('#shown')).toEqual(['1 of 3'])
    expect(await browser.evaluate(`document.querySelector('#filter').value`)).toBe('pdbblocked')
  })

  test('is dark where the system is, and light when the button says so, also after a reload', async () => {
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] })
    await browser.open(url)
    const paper = `getComputedStyle(document.body).backgroundColor`
    const theme = 'document.documentElement.dataset.theme'
    expect(await browser.evaluate(theme)).toBe('dark')
    const dark = await browser.evaluate(paper)
    await browser.evaluate(`document.querySelector('#theme').click()`)
    expect(await browser.evaluate(theme)).toBe('light')
    expect(await browser.evaluate(paper)).not.toBe(dark)
    await browser.open(url)
    expect(await browser.evaluate(theme)).toBe('light')
    await browser.send('Emulation.setEmulatedMedia', { features: [] })
    await browser.evaluate('localStorage.clear()')
  })

  test('what cannot be shown is told, and what was shown stays, marked as old', async () => {
    answer = { kind: 'unavailable', problem: 'This replica is waiting for the lease.' }
    await look()
    await browser.until(`!document.querySelector('#notice').hidden`)
    expect(await texts('#notice')).toEqual(['This replica is waiting for the lease.'])
    expect(await texts('#freshness')).toEqual(['Not up to date'])
    expect(await names()).toEqual(['node-a', 'node-b', 'node-c'])
    show(fleet)
    await look()
    await browser.until(`document.querySelector('#notice').hidden`)
  })

  test('every control and every bar has a name for those who listen', async () => {
    const { nodes } = (await browser.send('Accessibility.getFullAXTree')) as {
      nodes: readonly { role?: { value: string }; name?: { value: string }; ignored: boolean }[]
    }
    const named = nodes.filter(
      ({ role, ignored }) =>
        !ignored &&
        ['button', 'searchbox', 'meter', 'table', 'region', 'columnheader', 'rowheader', 'link'].includes(
          role?.value ?? '',
        ),
    )
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter(({ name }) => (name?.value ?? '').trim() === '').map(({ role }) => role?.value)).toEqual([])
  })

  test('fits a narrow screen: only tables scroll sideways', async () => {
    await browser.send('Emulation.setDeviceMetricsOverride', {
      width: 360,
      height: 700,
      deviceScaleFactor: 1,
      mobile: false,
    })
    expect(await browser.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(
      0,
    )
    await browser.send('Emulation.clearDeviceMetricsOverride')
  })
})
