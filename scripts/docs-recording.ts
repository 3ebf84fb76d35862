import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Stack } from '../src/cli/embedded/stack.ts'
import { renderTop } from '../src/cli/top/render.ts'
import { startDashboardServer } from '../src/operator/dashboard/server.ts'
import { Chromium, findChromium } from '../test/support/chromium.ts'
import { type Moment, recordedFile, recordRollout, withRecording } from '../test/support/rollout-recording.ts'
import { terminalPage } from '../test/support/terminal-picture.ts'

/**
 * `npm run docs:recording`: records the session of the docs anew, with its pictures where a Chromium is installed. A scenario holds the
 * docs against what the commands print; pictures are for people to look at.
 */
const root = join(import.meta.dirname, '..')
const path = join(root, recordedFile)
const chromium = findChromium()
const browser = chromium === undefined ? undefined : await Chromium.start(chromium, { width: 1280, height: 800 })
if (browser === undefined) process.stdout.write('no pictures: no Chromium is installed, and CHROME_PATH names none\n')

const recording = await recordRollout(
  browser === undefined ? undefined : (moment, stack) => photograph(browser, moment, stack),
)
await browser?.close()
writeFileSync(path, withRecording(readFileSync(path, 'utf8'), recording))
process.stdout.write(`recorded into ${recordedFile}\n`)

async function photograph(camera: Chromium, moment: Moment, stack: Stack): Promise<void> {
  const theme = moment === 'soaking' ? 'light' : 'dark'
  await camera.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: theme }] })
  const server = await startDashboardServer({ host: '127.0.0.1', port: 0 }, () => stack.operator.fleet())
  try {
    await camera.open(`http://127.0.0.1:${server.port}/`)
    await camera.until(`document.querySelectorAll('#nodes tbody tr').length > 0`)
    await save(camera, `dashboard-${theme}`, 800)
  } finally {
    await server.close()
  }
  const fleet = stack.operator.fleet()
  if (moment !== 'soaking' || fleet.kind !== 'ready') return
  const screen = { columns: 158, rows: 16, colour: true }
  const lines = renderTop(
    await fleet.source.view(),
    fleet.source.now(),
    { sort: 'pool', direction: 'normal', offset: 0 },
    screen,
  )
  await camera.open(`data:text/html;base64,${Buffer.from(terminalPage(lines)).toString('base64')}`)
  await save(camera, 'top', 300)
}

async function save(camera: Chromium, name: string, height: number): Promise<void> {
  await camera.send('Emulation.setDeviceMetricsOverride', { width: 1280, height, deviceScaleFactor: 1, mobile: false })
  writeFileSync(join(root, 'docs/images', `${name}.png`), await camera.screenshot())
}
