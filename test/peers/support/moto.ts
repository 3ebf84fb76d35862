import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChild, untilReady } from './child.ts'
import { motoPython } from './moto-python.ts'
import { freePorts } from './ports.ts'

export interface MotoOptions {
  /** Public parameters moto does not know, such as those of EKS; `PutParameter` refuses their names. A reset of moto forgets them. */
  readonly parameters?: readonly MotoParameter[]
  /** Replaces moto's machine images; objects as in moto's own `amis.json`. */
  readonly images?: readonly object[]
  /** Makes the ids moto generates repeatable. */
  readonly seed?: number
  /** On loopback. Default: a free one. */
  readonly port?: number
  /** Further settings of moto, such as `MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION`. */
  readonly env?: Readonly<Record<string, string>>
}

interface MotoParameter {
  readonly region: string
  readonly name: string
  readonly value: string
}

export interface Moto {
  /** For the SDK's `endpoint`; any static credentials do. */
  readonly endpoint: string
  logTail(lines?: number): Promise<string>
  stop(): Promise<void>
}

/** Importing moto takes seconds on a busy machine. */
const startTimeoutMs = 120_000
const defaultSeed = 42

/** Starts a moto server and waits until it answers. */
export async function startMoto(options: MotoOptions = {}): Promise<Moto> {
  const python = await motoPython()
  const port = options.port ?? (await freePorts('port')).port
  const folder = await mkdtemp(join(tmpdir(), 'joinery-moto-'))
  const parametersPath = join(folder, 'parameters.json')
  await writeFile(parametersPath, JSON.stringify(options.parameters ?? []))
  const env: Record<string, string> = { ...options.env, PYTHONDONTWRITEBYTECODE: '1' }
  if (options.images !== undefined) {
    env['MOTO_AMIS_PATH'] = join(folder, 'images.json')
    await writeFile(env['MOTO_AMIS_PATH'], JSON.stringify(options.images))
  }
  const launcher = join(import.meta.dirname, '..', 'moto', 'launch.py')
  const child = startChild({
    name: 'moto',
    command: python,
    args: [launcher, '--port', String(port), '--parameters', parametersPath],
    logPath: join(folder, 'moto.log'),
    env,
  })
  const stop = async (): Promise<void> => {
    await child.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const endpoint = `http://127.0.0.1:${port}`
  try {
    await untilReady(child, startTimeoutMs, async () => (await fetch(`${endpoint}/moto-api/data.json`)).ok)
    const seeded = await fetch(`${endpoint}/moto-api/seed?a=${options.seed ?? defaultSeed}`, { method: 'POST' })
    if (!seeded.ok) throw new Error(`moto refused its seed: ${seeded.status}`)
  } catch (error) {
    await stop()
    throw error
  }
  return { endpoint, logTail: (lines) => child.logTail(lines), stop }
}
