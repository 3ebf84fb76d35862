import { Command, InvalidArgumentError, Option } from 'commander'
import { watchCertificateFolder } from '../../webhooks/certificate-folder.ts'
import { readClientAuthorities, watchClientAuthorities } from '../../webhooks/client-authorities.ts'
import { manageCertificates } from '../../webhooks/certificate-manager.ts'
import { cachedFacts, factProjections } from '../../webhooks/facts.ts'
import { mutateReview, validateReview } from '../../webhooks/judge-review.ts'
import { type PublishedTypes, readPublishedTypes } from '../../webhooks/published-types.ts'
import { reviewMetrics } from '../../webhooks/review-desk.ts'
import { createWebhookServer, type TLSMaterial, type WebhookServer } from '../../webhooks/server.ts'
import { warmUp } from '../../webhooks/warm-up.ts'
import { durationMs, parseDuration } from '../api/duration.ts'
import { messageOf } from '../api/error-text.ts'
import type { EC2NodeClass } from '../api/karpenter.ts'
import { knownRegions } from '../embedded/aws/catalogue.ts'
import { classProblems } from '../cloud/aws/class-problems.ts'
import { regionFromEnvironment } from '../cloud/aws/sdk/region.ts'
import { createCaches } from '../kube/caches.ts'
import { createHTTPClient } from '../kube/http-client.ts'
import { ec2NodeClasses } from '../kube/karpenter-kinds.ts'
import { loadKubeConfig } from '../kube/kube-config.ts'
import type { Logger } from '../kube/logger.ts'
import type { KubeClient } from '../kube/port.ts'
import { systemClock } from '../kube/system-clock.ts'
import { systemRandom } from '../kube/system-random.ts'
import type { Clock } from '../model/clock.ts'
import { createLogger, type LogLevel, logLevels } from '../operator/logging.ts'
import { ownNamespace } from '../operator/own-namespace.ts'
import { createPrometheusMetrics } from '../operator/prometheus.ts'
import { ProblemsError, type Terminal, UsageError } from './command-line.ts'
import {
  type AdmissionCatalogue,
  admissionCatalogue,
  type AdmissionCatalogueOptions,
  isKnownRegion,
  readCatalogues,
} from './input/admission-catalogue.ts'
import { parseFileName, repeatable } from './input/option-values.ts'
import type { CommandFactory } from './main.ts'
import { readVersion } from './version.ts'
import { parseSeverities } from './validate/severities.ts'
import { wholeNumber } from './whole-number.ts'

interface WebhookCommandOptions {
  readonly port: number
  readonly service: string
  readonly configuration: string
  readonly certificateSecret?: string
  readonly certificateDir?: string
  readonly clientCaFile?: string
  readonly severity: readonly string[]
  readonly region?: string
  readonly catalogue: readonly string[]
  readonly shutdownDelay: number
  readonly kubeconfig?: string
}

export const webhookCommand: CommandFactory = (terminal) =>
  new Command('webhook')
    .description('serve the admission webhook')
    .option('--port <number>', 'port to serve HTTPS on', wholeNumber(0, 65_535), 8443)
    .option('--service <name>', 'Service that the API server reaches it through', 'joinery-webhook')
    .option('--configuration <name>', 'name of the webhook configurations whose caBundle is kept', 'joinery')
    .option(
      '--certificate-secret <name>',
      'Secret that is there to keep self-managed certificates in',
      'joinery-webhook-certificates',
    )
    .option(
      '--certificate-dir <folder>',
      'folder with tls.crt and tls.key from cert-manager, instead of self-managed ones',
      parseFileName,
    )
    .option(
      '--client-ca-file <file>',
      "CA of the API server's client certificate; reviews of nobody else are judged then",
      parseFileName,
    )
    .addOption(repeatable('--severity <rule=level>', 'set a rule to deny, warn or off'))
    .option(
      '--region <name>',
      "AWS region, for the built-in instance types; default: AWS_REGION, else the node classes'",
    )
    .addOption(repeatable('--catalogue <file>', 'InstanceTypeCatalog to use instead'))
    .addOption(
      new Option('--shutdown-delay <duration>', 'how long to go on answering, unready, after a request to stop')
        .argParser(parseDelay)
        .default(0, '0s'),
    )
    .option('--kubeconfig <file>', 'kubeconfig to use outside of a cluster', parseFileName)
    .action(async (options: WebhookCommandOptions) => {
      await serve(options, terminal)
    })

async function serve(options: WebhookCommandOptions, terminal: Terminal): Promise<void> {
  const severities = parseSeverities(options.severity)
  const clock = systemClock()
  const log = createLogger({
    level: logLevel(terminal.env['LOG_LEVEL']),
    commit: readVersion(terminal.env).commit,
    outputs: ['stdout'],
    now: () => clock.now(),
  }).child({ controller: 'webhook' })
  const metrics = createPrometheusMetrics({ processMetrics: true, log })
  const { clientCaFile } = options
  let clientCA = clientCaFile === undefined ? undefined : await readAuthorities(clientCaFile)
  const kube = clusterClient(options, clock)
  const caches = createCaches({ client: kube, clock, random: systemRandom(), log, projections: factProjections })
  const catalogue = await catalogueOptions(options, terminal)
  const { typesFor, prepare } = admissionCatalogue(catalogue)
  if (catalogue.region !== undefined && !isKnownRegion(catalogue.region)) {
    log.warn(
      { region: catalogue.region, builtIn: knownRegions() },
      'no instance types are built in for the region: JN-202, JN-203, JN-204 and JN-210 need what the operator publishes, or --catalogue',
    )
  }
  const namespace = await ownNamespace(terminal.env)
  // Ends what goes on beside, also when something fails: it would keep the process for ever.
  const stop = new AbortController()
  const signal = AbortSignal.any([terminal.signal, stop.signal])
  // A catalogue that somebody gives goes before what the operator knows.
  const published =
    options.catalogue.length > 0 ? undefined : readPublishedTypes({ kube, clock, log, namespace }, signal)
  const facts = cachedFacts(
    caches,
    classProblems,
    (pool, nodeClasses) => published?.of(pool) ?? typesFor(pool, nodeClasses),
  )
  caches.of(ec2NodeClasses).subscribe(({ after }) => {
    if (after !== undefined) void prepareUnlessPublished(after, { published, prepare, log })
  })
  caches.start(signal)
  const validate = validateReview({ clock, facts, severities, log })
  let server: WebhookServer | undefined
  let tls: TLSMaterial | undefined
  const listening = Promise.withResolvers<void>()
  const onCertificate = (material: TLSMaterial): void => {
    tls = material
    if (server !== undefined) {
      server.replaceCertificate(material)
      return
    }
    server = createWebhookServer({
      tls: material,
      ...(clientCA === undefined ? {} : { clientCA }),
      validate,
      mutate: mutateReview,
      unreadyBecause: () =>
        terminal.signal.aborted ? 'shutting down' : tls === undefined ? 'the first certificate' : undefined,
      metricsText: async () => (await metrics.render()).text,
      log,
      metrics: reviewMetrics(metrics),
    })
    server.listen({ port: options.port }).then(
      (port) => {
        log.info({ port }, 'serving admission reviews')
        listening.resolve()
      },
      (error: unknown) => listening.reject(error),
    )
  }
  const onAuthorities = (next: string): void => {
    server?.replaceClientCA(next)
    clientCA = next
    log.info({ file: clientCaFile }, 'the client authorities have changed')
  }
  if (clientCaFile !== undefined && clientCA !== undefined) {
    void watchClientAuthorities({ file: clientCaFile, used: clientCA, clock, log }, onAuthorities, signal)
  }
  try {
    await warmUp(validate, mutateReview)
    const certificates =
      options.certificateDir === undefined
        ? selfManaged(options, { clock, log, onCertificate, namespace, kube, signal })
        : watchCertificateFolder({ folder: options.certificateDir, clock, log }, onCertificate, signal)
    await Promise.race([certificates, listening.promise])
    await certificates
    // API servers send reviews here until they have heard that this pod is going.
    if (server !== undefined && options.shutdownDelay > 0) await clock.sleep(options.shutdownDelay)
  } finally {
    stop.abort()
    await server?.close()
    await caches.stopped()
    await published?.stopped
    await kube.close()
  }
}

/** What the operator has published needs no table beside it. */
async function prepareUnlessPublished(
  nodeClass: EC2NodeClass,
  {
    published,
    prepare,
    log,
  }: Pick<AdmissionCatalogue, 'prepare'> & { readonly published: PublishedTypes | undefined; readonly log: Logger },
): Promise<void> {
  const { name } = nodeClass.metadata
  if ((await published?.tellsOf(name)) === true) return
  try {
    prepare(nodeClass)
  } catch (error) {
    log.error({ err: error, EC2NodeClass: { name } }, 'the built-in instance types of a node class cannot be made')
  }
}

/** @throws ProblemsError when there is none */
async function readAuthorities(file: string): Promise<string> {
  return readClientAuthorities(file).catch((error: unknown) => {
    throw new ProblemsError([`--client-ca-file ${file}: ${messageOf(error)}`])
  })
}

async function catalogueOptions(
  options: WebhookCommandOptions,
  terminal: Terminal,
): Promise<AdmissionCatalogueOptions> {
  const region = options.region ?? regionFromEnvironment(terminal.env)
  if (options.catalogue.length === 0) return region === undefined ? {} : { region }
  return { catalogues: await readCatalogues(options.catalogue, terminal) }
}

function clusterClient({ kubeconfig }: WebhookCommandOptions, clock: Clock): ReturnType<typeof createHTTPClient> {
  const config = loadKubeConfig(kubeconfig === undefined ? {} : { path: kubeconfig })
  return createHTTPClient({ config, clock, random: systemRandom(), qps: 20, burst: 30, userAgent: 'joinery-webhook' })
}

interface CertificateDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly onCertificate: (material: TLSMaterial) => void
  readonly signal: AbortSignal
}

async function selfManaged(
  options: WebhookCommandOptions,
  {
    clock,
    log,
    onCertificate,
    signal,
    namespace,
    kube,
  }: CertificateDeps & { readonly namespace: string; readonly kube: KubeClient },
): Promise<void> {
  await manageCertificates(
    {
      kube,
      clock,
      log,
      namespace,
      secretName: options.certificateSecret ?? 'joinery-webhook-certificates',
      hosts: [`${options.service}.${namespace}.svc`, `${options.service}.${namespace}.svc.cluster.local`],
      validating: [options.configuration],
      mutating: [options.configuration],
    },
    onCertificate,
    signal,
  )
}

/** As the operator reads it, which gets it from the same value of the chart. */
function logLevel(text = ''): LogLevel {
  if (text === '') return 'info'
  const level = logLevels.find((name) => name === text)
  if (level === undefined)
    throw new UsageError(`invalid LOG_LEVEL ${JSON.stringify(text)}, expected ${logLevels.join(', ')}`)
  return level
}

function parseDelay(text: string): number {
  if (parseDuration(text).kind === 'invalid' || durationMs(text) < 0) {
    throw new InvalidArgumentError('expected a duration such as 5s')
  }
  return durationMs(text)
}
