import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** Path of a Chromium to run headless: CHROME_PATH, or one that is installed; undefined when there is none. */
export function findChromium(): string | undefined {
  const named = process.env['CHROME_PATH']
  if (named !== undefined && named !== '') return existsSync(named) ? named : undefined
  for (const name of ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']) {
    const { status, stdout } = spawnSync('which', [name], { encoding: 'utf8' })
    if (status === 0) return stdout.trim()
  }
  return undefined
}

/** A message of the DevTools protocol, as far as it is read here. */
export interface ProtocolEvent {
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

interface Reply {
  readonly id?: number
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
}

/** One headless browser with one page, spoken to over a pipe: no port, nothing to download, nothing of the user's profile. */
export class Chromium {
  readonly events: ProtocolEvent[] = []
  readonly #child: ChildProcess
  readonly #folder: string
  readonly #commands: Writable
  readonly #waiting = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >()
  readonly #listeners = new Set<(event: ProtocolEvent) => void>()
  #session = ''
  #id = 0
  #rest = ''

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child
    this.#folder = folder
    this.#commands = child.stdio[3] as Writable
    const replies = child.stdio[4] as Readable
    replies.setEncoding('utf8')
    replies.on('data', (text: string) => this.#read(text))
    child.on('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser has ended'))
      this.#waiting.clear()
    })
  }

  static async start(path: string, size: { readonly width: number; readonly height: number }): Promise<Chromium> {
    const folder = await mkdtemp(join(tmpdir(), 'joinery-chromium-'))
    const flags = [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${folder}`,
      `--window-size=${size.width},${size.height}`,
      '--no-first-run',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      // The sandbox needs a user of its own; what is shown here comes from this very process.
      '--no-sandbox',
      'about:blank',
    ]
    const child = spawn(path, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
    const browser = new Chromium(child, folder)
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true })
    browser.#session = String(sessionId)
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await browser.send(`${domain}.enable`)
    return browser
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#id
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      const session = this.#session === '' ? {} : { sessionId: this.#session }
      this.#commands.write(`${JSON.stringify({ id, method, params, ...session })}\0`)
    })
  }

  /** Resolves at the load event of the page. */
  async open(url: string): Promise<void> {
    const loaded = Promise.withResolvers<void>()
    const listener = ({ method }: ProtocolEvent): void => {
      if (method === 'Page.loadEventFired') loaded.resolve()
    }
    this.#listeners.add(listener)
    await this.send('Page.navigate', { url })
    await loaded.promise
    this.#listeners.delete(listener)
  }

  /** The value of an expression in the page, promises awaited. */
  async evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })
    if (exceptionDetails !== undefined) throw new Error(`in the page: ${JSON.stringify(exceptionDetails)}`)
    return typeof result === 'object' && result !== null && 'value' in result ? result.value : undefined
  }

  /** Waits, frame by frame, until an expression in the page is true. */
  async until(expression: string): Promise<void> {
    await this.evaluate(
      `new Promise((resolve) => { const look = () => (${expression}) ? resolve() : setTimeout(look, 10); look() })`,
    )
  }

  /** One key, pressed and let go as a person does. */
  async press(key: string, text?: string): Promise<void> {
    const code = key === 'Enter' ? 13 : key === 'Tab' ? 9 : key === 'Escape' ? 27 : 0
    const common = { key, code: key, windowsVirtualKeyCode: code }
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...common, ...(text === undefined ? {} : { text }) })
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...common })
  }

  async type(text: string): Promise<void> {
    await this.send('Input.insertText', { text })
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' })
    return Buffer.from(String(data), 'base64')
  }

  async close(): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  #read(text: string): void {
    const messages = (this.#rest + text).split('\0')
    this.#rest = messages.pop() ?? ''
    for (const message of messages) this.#take(JSON.parse(message) as Reply)
  }

  #take({ id, method, params = {}, result = {}, error }: Reply): void {
    if (id === undefined) {
      const event = { method: method ?? '', params }
      this.events.push(event)
      for (const listener of this.#listeners) listener(event)
      return
    }
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error.message))
  }
}
