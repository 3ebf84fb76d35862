import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { messageOf } from '../../api/error-text.ts'
import { KubeconfigError, serve } from '../../embedded/apiserver/index.ts'
import { VirtualClock, type VirtualClockOptions } from '../../embedded/clock.ts'
import { EmbeddedStateError, type EmbeddedState } from '../../embedded/persistence.ts'
import { readEmbeddedState, writeEmbeddedState } from '../../embedded/index.ts'
import { systemClock } from '../../kube/system-clock.ts'
import { startDashboardServer } from '../../operator/dashboard/server.ts'
import { type ExitCode, print, ProblemsError, type Terminal } from '../command-line.ts'
import { featureGatesOption, unusualGates } from '../feature-gates.ts'
import { paintFor, tellLogLine } from '../demo/view.ts'
import { type Stack, type StackOptions, startStack } from '../embedded/stack.ts'
import { parseFileName } from '../input/option-values.ts'
import type { CommandFactory } from '../main.ts'
import { requireBuiltIn } from '../simulate/region.ts'
import { wholeNumber } from '../whole-number.ts'
import { serveAdmission } from './admission.ts'
import { raiseFleet } from './fleet.ts'
import { requireOwnKubeconfig } from './kubeconfig-file.ts'
import { repeatedFailures } from './repeated-failures.ts'
import { lockState } from './state-lock.ts'
import { faultAnnotation, followWorldEvents, interruptAnnotation, publishImageAnnotation } from './world-events.ts'

interface UpOptions {
  readonly port: number
  readonly pagePort: number
  readonly seed: number
  readonly speed: number
  readonly nodes: number
  readonly region: string
  readonly featureGates: Readonly<Record<string, boolean>>
  readonly state?: string
  readonly kubeconfig: string
  readonly quiet: boolean
  readonly color: boolean
}

const portDefault = 16_443
const pagePortDefault = 16_444
const portMax = 65_535
/** What Kubernetes is built for; a slip of the finger beyond it would keep a laptop busy for days. */
const nodesMax = 5_000
/** It gives all rights in the cluster, so that it does not lie where everybody may write. */
const kubeconfigDefault = join(homedir(), '.kube', 'joinery')
/** In less, a fleet of hundreds has come up. */
const raisingMs = 60_000

export const upCommand: CommandFactory = (terminal, exit) =>
  new Command('up')
    .description('an embedded cluster with the operator and the webhook in it, for kubectl; ends on Ctrl-C')
    .option(
      '--port <number>',
      'loopback port of the API server; 0 takes a free one',
      wholeNumber(0, portMax),
      portDefault,
    )
    .option(
      '--page-port <number>',
      'loopback port of the web page; 0, or if it is taken, a free one',
      wholeNumber(0, portMax),
      pagePortDefault,
    )
    .option('--seed <number>', 'decides names, addresses and chances', wholeNumber(0), 1)
    .option('--speed <factor>', 'how many seconds pass there for one here', parseSpeed, 1)
    .option('--nodes <number>', 'begin with a fleet of so many nodes', wholeNumber(0, nodesMax), 0)
    .option('--region <name>', 'AWS region to imitate', 'us-west-2')
    .addOption(featureGatesOption())
    .option('--state <file>', 'continue from this file if it exists; written on Ctrl-C', parseFileName)
    .option(
      '--kubeconfig <file>',
      'where to write a kubeconfig, as a file of its own',
      parseFileName,
      kubeconfigDefault,
    )
    .option('--quiet', "nothing of the operator's log", false)
    .option('--no-color', 'no colour, even on a terminal')
    .action(async (options: UpOptions, command: Command) => {
      requireOwnKubeconfig(options.kubeconfig)
      const unlock = options.state === undefined ? undefined : await lockState(options.state)
      try {
        const state = await savedState(options.state)
        const isRegionGiven = command.getOptionValueSource('region') === 'cli'
        if (state !== undefined && isRegionGiven && state.region !== options.region) {
          throw new ProblemsError([
            `${options.state} was saved in ${state.region}: leave out --region ${options.region}, or take another file`,
          ])
        }
        if (state === undefined) requireBuiltIn(options.region)
        exit(await up({ ...options, region: state?.region ?? options.region }, state, terminal))
      } finally {
        await unlock?.()
      }
    })

async function up(options: UpOptions, state: EmbeddedState | undefined, terminal: Terminal): Promise<ExitCode> {
  const paint = paintFor(terminal.isInteractive && options.color)
  const say = (text: string): void => print(terminal.stdout, text)
  const wall = systemClock()
  const isWorthTelling = repeatedFailures()
  let startMs = 0
  const stack = await startOn(options.state, {
    seed: options.seed,
    region: options.region,
    // At six hundred times the pace fifty kubelets would renew three thousand leases a second.
    heartbeats: isRealTime(options),
    settings: { featureGates: options.featureGates },
    supervised: true,
    ...(state === undefined ? { clock: new VirtualClock(startOf(options, wall.now())) } : { state }),
    onLogLine: (line) => {
      const told = options.quiet ? undefined : tellLogLine(line, startMs)
      if (told !== undefined && isWorthTelling(told, wall.now())) say(paint.dim(told.text))
    },
  })
  startMs = stack.cluster.clock.now()
  const admission = await serveAdmission(stack, options.region, wall.now())
  const stopFollowing = followWorldEvents(stack, (text) => say(paint.dim(`   ${text}`)))
  try {
    const server = await listen(stack, options)
    const page = await servePage(stack, options.pagePort)
    try {
      if (options.nodes > 0 && state === undefined) {
        const isUp = await raiseFleet(stack, options.nodes, terminal.signal)
        if (!isUp && !terminal.signal.aborted) {
          throw new ProblemsError([`${options.nodes} nodes did not become ready; see the log above`])
        }
        if (isUp && isRealTime(options)) await stack.cluster.clock.run({ untilMs: wall.now() })
      }
      say(paint.bold(`Joinery on an embedded cluster at ${server.url} (${options.region}, seed ${options.seed})`))
      if (state !== undefined) {
        say(`continued from ${options.state} at ${new Date(startMs).toISOString()}`)
        if (options.nodes > 0) say('--nodes has no effect on a cluster that continues')
      }
      say(
        [
          '',
          `  export KUBECONFIG=${options.kubeconfig}`,
          '  kubectl apply -f manifests/examples/',
          '  kubectl get nodepools,nodeclaims,nodes -o wide',
          '',
          `Nodes, prices and rollouts to look at: http://127.0.0.1:${page.port}/ or \`joinery top\``,
          '',
          'What AWS and machines do is in your hands, too:',
          `  kubectl annotate node NAME ${interruptAnnotation}=spot`,
          `  kubectl annotate node NAME ${faultAnnotation}=not-ready`,
          `  kubectl annotate namespace kube-system ${publishImageAnnotation}=v20260401`,
          ...gatesHint(options.featureGates),
          '',
          `Time passes ${options.speed === 1 ? 'as it does here' : `${options.speed} times as fast as here`}. Ctrl-C stops${options.state === undefined ? '' : ` and saves to ${options.state}`}.`,
        ].join('\n'),
      )
      await Promise.race([stack.cluster.clock.pace(options.speed, terminal.signal), stack.failed])
    } finally {
      await page.close()
      await server.close()
    }
    if (options.state !== undefined) {
      await save(options.state, stack)
      say(`saved to ${options.state}`)
    }
    return 0
  } finally {
    stopFollowing()
    await admission.stop()
    await stack.stop()
  }
}

/**
 * kubectl works out the ages of `describe` and `events` by its own clock. At the pace of real time the cluster is therefore at the present
 * time once it can be reached, and a fleet that it begins with has come up before; a faster one would soon be ahead of kubectl, which prints
 * such ages as invalid, and begins in the past.
 */
function startOf(options: UpOptions, now: number): VirtualClockOptions {
  if (!isRealTime(options)) return {}
  return { startMs: now - (options.nodes > 0 ? raisingMs : 0) }
}

function isRealTime({ speed }: UpOptions): boolean {
  return speed <= 1
}

/** A second cluster on the same machine gets another port: the address is printed, nobody has to know it. */
async function servePage(stack: Stack, port: number): ReturnType<typeof startDashboardServer> {
  const fleet = (): ReturnType<Stack['operator']['fleet']> => stack.operator.fleet()
  try {
    return await startDashboardServer({ host: '127.0.0.1', port }, fleet)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || error.code !== 'EADDRINUSE') throw error
    return startDashboardServer({ host: '127.0.0.1', port: 0 }, fleet)
  }
}

async function listen({ cluster }: Stack, options: UpOptions): ReturnType<typeof serve> {
  try {
    // What cannot be made shows when the file is written.
    if (options.kubeconfig === kubeconfigDefault) {
      await mkdir(dirname(kubeconfigDefault), { recursive: true, mode: 0o700 }).catch(() => undefined)
    }
    return await serve({ server: cluster.apiServer, port: options.port, kubeconfigPath: options.kubeconfig })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error instanceof KubeconfigError) throw new ProblemsError([`${error.message}: try --kubeconfig <file>`])
    if (error.code === 'EADDRINUSE') {
      throw new ProblemsError([
        `port ${options.port} is taken: try --port ${portBeside(options)}, or --port 0 for any that is free`,
      ])
    }
    throw new ProblemsError([`cannot serve the API: ${error.message}`])
  }
}

/** The next one that no other `joinery up`, started in the same way, has for its page. */
function portBeside({ port, pagePort }: Pick<UpOptions, 'port' | 'pagePort'>): number {
  const next = port + 1 === pagePort ? port + 2 : port + 1
  return next > portMax ? port - 1 : next
}

/** A file that was damaged may have all its parts and still make no cluster. */
async function startOn(file: string | undefined, options: StackOptions): Promise<Stack> {
  try {
    return await startStack(options)
  } catch (error) {
    if (options.state === undefined) throw error
    throw new ProblemsError([`${file} is not a usable saved state: ${messageOf(error)}`])
  }
}

/** Whatever has become of the folder meanwhile: what is not written now is lost. */
async function save(file: string, { cluster }: Stack): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeEmbeddedState(file, cluster.save())
  } catch (error) {
    throw new ProblemsError([`the cluster could not be saved to ${file}: ${messageOf(error)}`])
  }
}

/** What was saved before. */
async function savedState(file: string | undefined): Promise<EmbeddedState | undefined> {
  if (file === undefined || !existsSync(file)) return undefined
  try {
    return await readEmbeddedState(file)
  } catch (error) {
    if (error instanceof EmbeddedStateError) throw new ProblemsError([error.message])
    throw new ProblemsError([`${file}: ${messageOf(error)}`])
  }
}

function parseSpeed(text: string): number {
  const speed = Number(text)
  if (!Number.isFinite(speed) || speed <= 0) throw new InvalidArgumentError('expected a number above 0')
  return speed
}

/** The operator is in this process, with no Deployment that would say how it is set. */
function gatesHint(gates: UpOptions['featureGates']): readonly string[] {
  const unusual = unusualGates(gates)
  return unusual === undefined
    ? []
    : [
        '',
        `\`joinery explain\`, \`plan\` and \`simulate\` decide as this operator does with --feature-gates ${unusual}`,
      ]
}
