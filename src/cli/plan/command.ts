import { setFlagsFromString } from 'node:v8'
import { Command, InvalidArgumentError, Option } from 'commander'
import { parseDuration } from '../../api/duration.ts'
import type { EC2NodeClass } from '../../api/karpenter.ts'
import type { PlanInput } from '../../rollout/plan/input.ts'
import { planChange } from '../../rollout/plan/plan-change.ts'
import { hasEffect, type Plan } from '../../rollout/plan/plan.ts'
import { type ExitCode, print, printJSON, ProblemsError, type Terminal, UsageError } from '../command-line.ts'
import { kubeconfigOption, requestTimeoutOption } from '../connect.ts'
import { type FeatureGates, gatesInForce, operatorGatesOption } from '../feature-gates.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { readTexts } from '../input/texts.ts'
import { filenameOption, parseTime } from '../input/option-values.ts'
import type { CommandFactory } from '../main.ts'
import { type DataFormat, outputOption, printData } from '../output-format.ts'
import {
  minValuesPolicyOption,
  operatorPacking,
  packingOption,
  preferencePolicyOption,
  type SchedulingOptions,
} from '../scheduling-options.ts'
import { foreignPools } from '../simulate/left-out-pools.ts'
import { oncePerName } from '../simulate/once-per-name.ts'
import { sortObjects } from '../simulate/objects.ts'
import { printableText } from '../table.ts'
import { readJudged, readJudgedManifests } from '../simulate/read-objects.ts'
import { chosenRegion } from '../simulate/region.ts'
import { newestTimestamp } from '../simulate/world.ts'
import { leftOutOf } from '../snapshot/left-out.ts'
import type { LiveDocuments } from '../snapshot/live-objects.ts'
import { parseImages, type ResolvedClass } from './images.ts'
import { toPlanInput } from './make-plan.ts'
import { planMarkdown } from './view-markdown.ts'
import { planSARIF } from './view-sarif.ts'
import { planText } from './view-text.ts'

interface PlanOptions extends SchedulingOptions {
  readonly filename: readonly string[]
  readonly snapshot?: string
  readonly kubeconfig?: string
  readonly context?: string
  readonly requestTimeout?: number
  readonly prune: boolean
  readonly images?: string
  readonly region?: string
  readonly now?: number
  readonly launchTime: number
  readonly drainTime: number
  readonly exact: boolean
  readonly detailedExitcode: boolean
  readonly featureGates?: FeatureGates
  readonly output: 'text' | DataFormat | 'markdown' | 'sarif'
}

export const planCommand: CommandFactory = (terminal, exit) =>
  new Command('plan')
    .description('what a change of NodePools and node classes would do to the nodes of a cluster, before it is applied')
    .argument('[file...]', 'files or folders of manifests, `-` for standard input')
    .addOption(filenameOption())
    .option('--snapshot <file>', 'the cluster as `joinery snapshot` recorded it, instead of a live one')
    .addOption(kubeconfigOption())
    .option('--context <name>', 'context of the kubeconfig; the cluster is only read')
    .addOption(requestTimeoutOption())
    .option('--prune', 'NodePools, node classes, overlays and policies that no manifest names go', false)
    .option('--images <file>', 'what changed selectors would find, by EC2NodeClass, in the form of its status')
    .option('--region <name>', "region of the built-in catalogue; default: the nodes', else us-east-1")
    .option('--now <time>', 'RFC 3339; default: now, with --snapshot the newest timestamp in it', parseTime)
    .addOption(
      new Option('--launch-time <duration>', 'how long a new node takes to be ready')
        .argParser(parseLength)
        .default(90_000, '90s'),
    )
    .addOption(
      new Option('--drain-time <duration>', 'how long an old node then takes to be drained')
        .argParser(parseLength)
        .default(60_000, '60s'),
    )
    .option('--exact', 'judge each replacement by itself in fleets of any size: minutes for hundreds of nodes', false)
    .option('--detailed-exitcode', 'exit with 3 instead of 0 when the change has an effect', false)
    .addOption(operatorGatesOption())
    .addOption(preferencePolicyOption())
    .addOption(minValuesPolicyOption())
    .addOption(packingOption(operatorPacking))
    .addOption(outputOption(['text', 'json', 'yaml', 'markdown', 'sarif']))
    .action(async (files: string[], options: PlanOptions) => {
      exit(await run([...files, ...options.filename], options, terminal))
    })

/**
 * Percent by which the heap may grow until it is collected again. A plan leaves much behind that is soon of no use: with V8's own choice
 * 2,000 nodes take 75 MB more, for a twentieth less time.
 */
const heapGrowthPercent = 100

async function run(files: readonly string[], options: PlanOptions, terminal: Terminal): Promise<ExitCode> {
  setFlagsFromString(`--heap-growing-percent=${heapGrowthPercent}`)
  if (files.length === 0) throw new UsageError('nothing to plan: name a file, a folder, or - for standard input')
  if (options.snapshot !== undefined && (options.context !== undefined || options.kubeconfig !== undefined)) {
    throw new UsageError('--snapshot and a live cluster (--context, --kubeconfig) exclude each other')
  }
  if ([files.includes('-'), options.snapshot === '-', options.images === '-'].filter(Boolean).length > 1) {
    throw new UsageError('standard input can hold the manifests, the snapshot or the images, only one of them')
  }
  const manifests = await readJudgedManifests(files, terminal)
  if (!manifests.some(isPlanned)) {
    throw new ProblemsError([
      `${files.join(', ')}: holds no ${plannedKinds.slice(0, -1).join(', ')} or ${plannedKinds.at(-1)}: there is nothing to plan`,
    ])
  }
  const plan = planChange(await gather(manifests, options, terminal))
  printPlan(plan, manifests, options, terminal)
  return options.detailedExitcode && hasEffect(plan) ? 3 : 0
}

const plannedKinds = ['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy']

function isRead(document: ManifestDocument): boolean {
  return (
    isPlanned(document) ||
    (document.content.kind === 'object' && document.content.object.kind === 'InstanceTypeCatalog')
  )
}

/** A folder without any of them is more likely a wrong folder than a wish for nothing. */
function isPlanned({ content }: ManifestDocument): boolean {
  return content.kind === 'object' && plannedKinds.includes(content.object.kind ?? '')
}

async function gather(
  manifests: readonly ManifestDocument[],
  options: PlanOptions,
  terminal: Terminal,
): Promise<PlanInput> {
  const { documents, now } =
    options.snapshot === undefined
      ? await readLive(options, terminal)
      : { documents: await readJudged([options.snapshot], terminal), now: undefined }
  const cluster = sortObjects(documents)
  const unread = leftOutOf(documents)
  // An empty cluster has its namespaces; a file that is something else must not pass for a cluster without nodes. What its recorder might
  // not list is told with the plan.
  const isEmpty = Object.values(cluster).every((list) => list.length === 0)
  if (options.snapshot !== undefined && isEmpty && unread.length === 0) {
    throw new ProblemsError([`${options.snapshot}: is no snapshot: it holds nothing that \`joinery snapshot\` records`])
  }
  // Of other kinds a folder may have several of one name, of which nothing is read.
  const wanted = sortObjects(oncePerName(manifests.filter(isRead)))
  for (const text of foreignPools(wanted.nodePools)) print(terminal.stderr, printableText(`warning: ${text}`))
  const resolved = options.images === undefined ? new Map() : await readImages(options.images, terminal)
  for (const text of strayImages(resolved, [...cluster.nodeClasses, ...wanted.nodeClasses])) {
    print(terminal.stderr, printableText(`warning: ${options.images ?? ''}: ${text}`))
  }
  // Catalogues may come with the manifests as well as with the snapshot.
  const withTypes = { ...cluster, catalogues: [...cluster.catalogues, ...wanted.catalogues] }
  const withOverlays = { ...cluster, nodeOverlays: [...cluster.nodeOverlays, ...wanted.nodeOverlays] }
  return toPlanInput(cluster, wanted, {
    now: options.now ?? now ?? newestTimestamp(cluster),
    region: chosenRegion(options.region, withTypes, terminal),
    prune: options.prune,
    featureGates: gatesInForce(options.featureGates, withOverlays, terminal),
    preferencePolicy: options.preferencePolicy,
    minValuesPolicy: options.minValuesPolicy,
    packing: options.packing,
    resolved,
    timing: { launchMs: options.launchTime, drainMs: options.drainTime },
    unread,
    ...(options.exact ? { exactMax: Number.POSITIVE_INFINITY } : {}),
  })
}

/** The client is large; a plan on a recorded cluster has no use for it. */
async function readLive(options: PlanOptions, terminal: Terminal): Promise<LiveDocuments> {
  const { liveDocuments } = await import('../snapshot/live-objects.ts')
  return liveDocuments(options, 'joinery-plan', terminal)
}

function printPlan(
  plan: Plan,
  manifests: readonly ManifestDocument[],
  { output, launchTime, drainTime }: PlanOptions,
  terminal: Terminal,
): void {
  const timing = { launchMs: launchTime, drainMs: drainTime }
  switch (output) {
    case 'json':
    case 'yaml':
      return printData(terminal.stdout, output, plan)
    case 'markdown':
      return print(terminal.stdout, planMarkdown(plan, timing))
    case 'sarif':
      return printJSON(terminal.stdout, planSARIF(plan, manifests))
    case 'text':
      return print(terminal.stdout, planText(plan, timing, { colour: terminal.isInteractive }))
  }
}

async function readImages(file: string, terminal: Terminal): Promise<ReadonlyMap<string, ResolvedClass>> {
  const parsed = parseImages(await readTexts([file], terminal))
  if (parsed.kind === 'wrong') throw new ProblemsError(parsed.problems)
  return parsed.classes
}

/** A misspelt name would leave the plan with its guess, and look as if it were known. One file may serve several clusters, so it is no error. */
function strayImages(
  resolved: ReadonlyMap<string, ResolvedClass>,
  classes: readonly EC2NodeClass[],
): readonly string[] {
  const known = new Set(classes.map(({ metadata }) => metadata.name))
  return [...resolved.keys()]
    .filter((name) => !known.has(name))
    .map((name) => `there is no EC2NodeClass ${name} in the manifests or the cluster`)
}

function parseLength(text: string): number {
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid' || parsed.nanoseconds < 0n) {
    throw new InvalidArgumentError('expected a duration such as 90s or 5m')
  }
  return Number(parsed.nanoseconds / 1_000_000n)
}
