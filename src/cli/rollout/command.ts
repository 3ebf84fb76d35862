import { Command, InvalidArgumentError } from 'commander'
import { durationMs, parseDuration } from '../../api/duration.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { govern } from '../../rollout/engine/govern.ts'
import { type Standing, standingAmong, standingOf } from '../../rollout/standing.ts'
import { type ExitCode, print, printJSON, ProblemsError, type Terminal, UsageError } from '../command-line.ts'
import { callerOf, type ClusterOptions, type Connection, withCluster, withClusterOptions } from '../connect.ts'
import { listReadable, listServed } from '../list-readable.ts'
import type { CommandFactory } from '../main.ts'
import { toJSON, toYAML } from '../data-text.ts'
import { type DataFormat, outputOption } from '../output-format.ts'
import { wholeNumber } from '../whole-number.ts'
import { annotate } from './annotate.ts'
import { approvalUse } from './approval-use.ts'
import { confirmName } from './confirm.ts'
import { emptyHistoryText, historyOf } from './history.ts'
import { pauseLeft } from './pause-left.ts'
import { fetchSteered, parseReference, type Reference, referenceText, type Steered } from './reference.ts'
import {
  approveRequest,
  checkPause,
  checkUndo,
  type PauseOptions,
  pauseEnd,
  pauseRequest,
  type Request,
  restartRequest,
  resumeRequest,
  retireRequest,
  type UndoOptions,
  undoRequest,
} from './requests.ts'
import { historyTable, standingLine, standingsTable, standingText, writtenText } from './view.ts'
import { watchStandings } from './watch.ts'

type Format = 'table' | DataFormat

interface CommonOptions extends ClusterOptions {
  readonly output: Format
}

interface WriteOptions extends CommonOptions {
  readonly dryRun: boolean
}

interface StatusOptions extends CommonOptions {
  readonly watch: boolean
  readonly timeout?: number
}

interface RetireOptions extends WriteOptions {
  readonly yes: boolean
  readonly cancel: boolean
}

type Context = Readonly<{ terminal: Terminal; exit: (code: ExitCode) => void }>

const userAgent = 'joinery-rollout'
const objectHelp = 'NodePool by name, or KIND/NAME of a nodepool, ec2nodeclass or rolloutpolicy'
const poolOrClassHelp = 'NodePool by name, or KIND/NAME of a nodepool or ec2nodeclass'
const nameHelp = 'its name, where only its kind stands before it: KIND NAME'

export const rolloutCommand: CommandFactory = (terminal, exit) => {
  const context = { terminal, exit }
  return new Command('rollout')
    .description('where the nodes of NodePools and EC2NodeClasses stand, and one annotation to steer them')
    .addHelpText(
      'after',
      '\nEach write is one annotation of joinery.dev; --dry-run prints the kubectl command that writes the same.',
    )
    .addCommand(statusCommand(context))
    .addCommand(historyCommand(context))
    .addCommand(pauseCommand(context))
    .addCommand(
      writeCommand(
        'resume',
        objectHelp,
        'end a pause now: removes joinery.dev/pause-until',
        context,
        async (steered, _options, { client, clock }) =>
          resumeRequest(steered, await pauseLeft(client, steered, clock.now(), context.terminal.signal)),
      ),
    )
    .addCommand(
      writeCommand<{ target?: string }>(
        'approve',
        poolOrClassHelp,
        'let the target that the status names be rolled out: joinery.dev/approve',
        context,
        async (steered, options, { client, clock }) =>
          approveRequest(steered, options, clock.now(), await approvalUse(client, steered, context.terminal.signal)),
      ).option('--target <target>', 'approve only if this still is the target'),
    )
    .addCommand(
      writeCommand<{ at?: string }>(
        'restart',
        poolOrClassHelp,
        'replace all present nodes: joinery.dev/restart-at',
        context,
        (steered, options, { clock }) => restartRequest(steered, options, clock.now()),
      ).option('--at <time>', 'RFC 3339: nodes made before; default: now'),
    )
    .addCommand(
      writeCommand<UndoOptions>(
        'undo',
        'ec2nodeclass/NAME',
        'return an EC2NodeClass to images of its history: joinery.dev/undo-to',
        context,
        undoRequest,
        checkUndo,
      )
        .option('--to-revision <number>', 'default: the newest that is good and not in use', wholeNumber(1))
        .option('--cancel', 'back to what the selector finds'),
    )
    .addCommand(retireCommand(context))
}

function statusCommand(context: Context): Command {
  return common(new Command('status'))
    .description('what is up to date, what drifted, what blocks; exit code 1 when something is stalled')
    .argument('[object]', `${objectHelp}; default: all NodePools and EC2NodeClasses`)
    .argument('[name]', nameHelp)
    .option('-w, --watch', 'until all is done (exit code 0) or stalled (1)', false)
    .option('--timeout <duration>', 'with --watch: give up after this time, with exit code 1', parseSpan)
    .action(async (object: string | undefined, name: string | undefined, options: StatusOptions) => {
      context.exit(await status(object === undefined ? undefined : [object, name], options, context.terminal))
    })
}

async function status(
  said: [object: string, name: string | undefined] | undefined,
  options: StatusOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  if (options.timeout !== undefined && !options.watch) throw new UsageError('--timeout goes with --watch')
  const reference = said === undefined ? undefined : parseReference(...said)
  // By what was asked for, not by how many there are: a script has to know whether it gets a list.
  const isOne = reference !== undefined && reference.kind !== 'rolloutpolicy'
  return withCluster(options, callerOf(userAgent, terminal), async ({ client, clock }) => {
    const read = (): Promise<readonly Standing[]> => readStandings({ client, clock }, reference, terminal.signal)
    const show = (standings: readonly Standing[]): void => {
      const only = isOne ? standings[0] : undefined
      write(terminal, options.output, only ?? standings, () =>
        only === undefined ? standingsTable(standings) : standingText(only),
      )
    }
    if (!options.watch) {
      const standings = await read()
      show(standings)
      return standings.some(({ outlook }) => outlook === 'Stalled') ? 1 : 0
    }
    const outcome = await watchStandings({
      read,
      tell: (standing) => write(terminal, options.output, standing, () => standingLine(standing), 'line'),
      clock,
      timeoutMs: options.timeout,
      signal: terminal.signal,
    })
    if (outcome.kind === 'done') return 0
    const said = outcome.kind === 'stalled' ? 'stalled' : 'not done in time'
    throw new ProblemsError(outcome.standings.map((standing) => `error: ${said}: ${standingLine(standing)}`))
  })
}

async function readStandings(
  { client, clock }: Connection,
  reference: Reference | undefined,
  signal: AbortSignal,
): Promise<readonly Standing[]> {
  if (reference === undefined) {
    const [pools, classes, policies] = await Promise.all([
      client.list(nodePools, { signal }),
      client.list(ec2NodeClasses, { signal }),
      listReadable(client, rolloutPolicies, signal),
    ])
    const around = { classes: classes.items, governing: govern(policies ?? [], pools.items).governing }
    return [
      ...pools.items.map((pool) => standingAmong(pool, around, clock.now())),
      ...classes.items.map((nodeClass) => standingOf(nodeClass, clock.now())),
    ]
  }
  const steered = await fetchSteered(client, reference, signal)
  if (steered.kind === 'ec2nodeclass') return [standingOf(steered.object, clock.now())]
  const [classes = [], policies = []] = await Promise.all([
    listReadable(client, ec2NodeClasses, signal),
    listReadable(client, rolloutPolicies, signal),
  ])
  if (steered.kind === 'nodepool') {
    return [
      standingAmong(steered.object, { classes, governing: govern(policies, [steered.object]).governing }, clock.now()),
    ]
  }
  const { items } = await client.list(nodePools, { signal })
  const { governing } = govern(policies, items)
  const governed = items.filter(({ metadata: { name } }) => governing.get(name)?.metadata.name === steered.name)
  if (governed.length === 0) throw new ProblemsError([`${referenceText(reference)} governs no NodePool`])
  return governed.map((pool) => standingAmong(pool, { classes, governing }, clock.now()))
}

function historyCommand({ terminal, exit }: Context): Command {
  return common(new Command('history'))
    .description('images of an EC2NodeClass by revision; past rollouts of a RolloutPolicy or of the one of a NodePool')
    .argument('<object>', objectHelp)
    .argument('[name]', nameHelp)
    .action(async (object: string, name: string | undefined, options: CommonOptions) => {
      const reference = parseReference(object, name)
      await withCluster(options, callerOf(userAgent, terminal), async ({ client }) => {
        const steered = await fetchSteered(client, reference, terminal.signal)
        const policies = steered.kind === 'nodepool' ? await listServed(client, rolloutPolicies, terminal.signal) : []
        const entries = historyOf(steered, policies)
        write(terminal, options.output, entries, () =>
          entries.length === 0 ? emptyHistoryText(steered, policies) : historyTable(entries),
        )
      })
      exit(0)
    })
}

function pauseCommand(context: Context): Command {
  return writeCommand<PauseOptions>(
    'pause',
    objectHelp,
    'no voluntary disruption for a while: joinery.dev/pause-until',
    context,
    (steered, options, { clock }) => pauseRequest(steered, pauseEnd(options, clock.now())),
    checkPause,
  )
    .option('--for <duration>', 'how long, such as 90m or 8h')
    .option('--until <time>', 'RFC 3339, such as 2030-01-31T08:00:00Z')
}

function retireCommand({ terminal, exit }: Context): Command {
  return writable(new Command('retire'))
    .description('no new nodes, and drain those that are there: joinery.dev/retire')
    .argument('<object>', 'NodePool by name')
    .argument('[name]', nameHelp)
    .option('-y, --yes', 'do not ask for the name', false)
    .option('--cancel', 'take it back', false)
    .action(async (object: string, name: string | undefined, options: RetireOptions) => {
      const reference = parseReference(object, name)
      await withCluster(options, callerOf(userAgent, terminal), async ({ client }) => {
        const steered = await fetchSteered(client, reference, terminal.signal)
        const request = retireRequest(steered, options)
        if (!options.yes && !options.cancel && !options.dryRun)
          await confirmName(steered.name, request.message, terminal)
        await send(client, steered, request, options, terminal)
      })
      exit(0)
    })
}

/** A subcommand that reads one object, decides on one annotation, and writes it. */
function writeCommand<Own extends object>(
  verb: string,
  objectText: string,
  description: string,
  { terminal, exit }: Context,
  decide: (steered: Steered, options: Own, connection: Connection) => Request | Promise<Request>,
  check: (options: Own) => void = () => undefined,
): Command {
  return writable(new Command(verb))
    .description(description)
    .argument('<object>', objectText)
    .argument('[name]', nameHelp)
    .action(async (object: string, name: string | undefined, options: WriteOptions & Own) => {
      const reference = parseReference(object, name)
      check(options)
      await withCluster(options, callerOf(userAgent, terminal), async (connection) => {
        const { client } = connection
        const steered = await fetchSteered(client, reference, terminal.signal)
        await send(client, steered, await decide(steered, options, connection), options, terminal)
      })
      exit(0)
    })
}

async function send(
  client: KubeClient,
  steered: Steered,
  request: Request,
  { dryRun, output }: WriteOptions,
  terminal: Terminal,
): Promise<void> {
  const written = await annotate(client, steered, request, { dryRun, signal: terminal.signal })
  write(terminal, output, written, () => writtenText(written))
}

function common(command: Command): Command {
  return withClusterOptions(command).addOption(outputOption(['table', 'json', 'yaml']))
}

function writable(command: Command): Command {
  return common(command).option(
    '--dry-run',
    'let the server check it, write nothing, and print the kubectl command',
    false,
  )
}

function write(
  { stdout }: Terminal,
  format: Format,
  value: unknown,
  table: () => string,
  layout: 'document' | 'line' = 'document',
): void {
  if (format === 'table') print(stdout, table())
  else if (format === 'yaml') print(stdout, `${layout === 'line' ? '---\n' : ''}${toYAML(value)}`)
  else if (layout === 'line') print(stdout, toJSON(value, 'line'))
  else printJSON(stdout, value)
}

function parseSpan(text: string): number {
  if (parseDuration(text).kind === 'invalid' || durationMs(text) <= 0) {
    throw new InvalidArgumentError('expected a duration such as 30s or 10m')
  }
  return durationMs(text)
}
