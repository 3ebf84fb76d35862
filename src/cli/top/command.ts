import { Command, InvalidArgumentError, Option } from 'commander'
import { durationMs, parseDuration } from '../../api/duration.ts'
import { loadKubeConfig } from '../../kube/kube-config.ts'
import { systemRandom } from '../../kube/system-random.ts'
import { print, type Terminal } from '../command-line.ts'
import { type ClusterOptions, withCluster, withClusterOptions } from '../connect.ts'
import type { CommandFactory } from '../main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from '../output-format.ts'
import { requireBuiltIn } from '../simulate/region.ts'
import { showLive } from './live.ts'
import { watchFleet } from './live-fleet.ts'
import { renderTop, type TopState } from './render.ts'
import { columnsOf, screenOf } from './screen.ts'
import { type SortKey, sortKeys } from './sort.ts'

interface TopOptions extends ClusterOptions {
  readonly region?: string
  readonly sort: SortKey
  readonly interval: number
  readonly once: boolean
  readonly output?: 'table' | DataFormat
}

export const topCommand: CommandFactory = (terminal, exit) =>
  withClusterOptions(new Command('top'))
    .description('nodes, what they are used for, what they cost, where rollouts stand and what blocks them; live')
    .option('--region <name>', "region of the list prices; default: the nodes', else us-east-1")
    .addOption(new Option('--sort <key>', 'what comes first').choices(sortKeys).default('pool'))
    .addOption(new Option('--interval <duration>', 'between two looks').argParser(parseInterval).default(2_000, '2s'))
    .option('--once', 'print it once, even on a terminal', false)
    .addOption(outputOption(['table', 'json', 'yaml'], 'print it once, in this format').default(undefined))
    .addHelpText('after', '\nKeys: q quit, s sort by the next column, r reverse, arrows and page keys scroll.')
    .action(async (options: TopOptions) => {
      await top(options, terminal)
      exit(0)
    })

async function top(options: TopOptions, terminal: Terminal): Promise<void> {
  if (options.region !== undefined) requireBuiltIn(options.region)
  const cluster = clusterName(options)
  const done = new AbortController()
  // Once the screen is the fleet's, a line would land in the middle of it.
  let isLive = false
  const say = (line: string): void => {
    if (!isLive) print(terminal.stderr, line)
  }
  await withCluster(options, { userAgent: 'joinery-top', say }, async ({ client, clock }) => {
    const signal = AbortSignal.any([terminal.signal, done.signal])
    try {
      const { region } = options
      const source = await watchFleet({ client, clock, random: systemRandom(), cluster, region, signal })
      const screen = options.once || options.output !== undefined ? undefined : screenOf(terminal)
      const initial: TopState = { sort: options.sort, direction: 'normal', offset: 0 }
      if (screen !== undefined) {
        isLive = true
        await showLive({ source, screen, clock, everyMs: options.interval, initial, signal })
        return
      }
      const view = await source.view()
      if (options.output !== undefined && isDataFormat(options.output)) printData(terminal.stdout, options.output, view)
      else {
        const columns = columnsOf(terminal)
        const lines = renderTop(view, source.now(), initial, { columns, rows: undefined, colour: false })
        print(terminal.stdout, lines.map((line) => line.trimEnd()).join('\n'))
      }
    } finally {
      done.abort(new Error('done'))
    }
  })
}

/** What the kubeconfig calls it. */
function clusterName({ kubeconfig, context }: ClusterOptions): string {
  const config = loadKubeConfig({
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
  return config.getCurrentContext()
}

function parseInterval(text: string): number {
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid' || durationMs(text) < 100) {
    throw new InvalidArgumentError('expected a duration of 100ms or more')
  }
  return durationMs(text)
}
