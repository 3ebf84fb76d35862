import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { basePath, renderBase } from '../../../scripts/render-base.ts'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { labelValueErrors } from '../../../src/api/qualified-name.ts'
import { builtInSchemaProblems } from '../../support/built-in-schema.ts'
import { registryKinds } from '../../unit/manifests/known-kinds.ts'
import { charts, type Rendered, renderChart, required, template } from '../support/chart.ts'
import { helmProgram } from '../support/helm.ts'
import { describeWithPeers } from '../support/peers.ts'
import { run } from '../support/run.ts'

/** Of cert-manager. */
const foreign: ReadonlySet<string> = new Set(['Certificate'])

interface DashboardConfigMap {
  readonly metadata: object
  readonly data: Readonly<Record<string, string>>
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}

/** Paths of values that only one of the two names, where the schema lets nothing else through. */
function namesIn(
  schema: Schema,
  values: unknown,
  path = '',
): { readonly unknown: string[]; readonly missing: string[] } {
  const given = typeof values === 'object' && values !== null ? (values as Readonly<Record<string, unknown>>) : {}
  if (schema.additionalProperties !== false) return { unknown: [], missing: [] }
  const known = schema.properties ?? {}
  const inner = Object.entries(known).map(([name, each]) => namesIn(each, given[name], `${path}.${name}`))
  const missing = Object.keys(known).filter((name) => !(name in given))
  const unknown = Object.keys(given).filter((name) => !(name in known))
  return {
    unknown: [...unknown.map((name) => `${path}.${name}`), ...inner.flatMap((each) => each.unknown)],
    missing: [...missing.map((name) => `${path}.${name}`), ...inner.flatMap((each) => each.missing)],
  }
}

interface Monitor {
  readonly spec: { readonly selector: { readonly matchLabels: object }; readonly endpoints: readonly Endpoint[] }
}

interface Endpoint {
  readonly port: string
}

/** By the name of the service: how a Prometheus Operator scrapes it. */
function scraped(objects: readonly Rendered[]): (readonly [string, Endpoint])[] {
  const services = objects.filter(({ kind }) => kind === 'Service')
  return objects
    .filter(({ kind }) => kind === 'ServiceMonitor')
    .flatMap((object) => {
      const { selector, endpoints } = (object as unknown as Monitor).spec
      const wanted = Object.entries(selector.matchLabels)
      return services
        .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
        .flatMap(({ metadata }) => endpoints.map((endpoint) => [metadata.name, endpoint] as const))
    })
    .toSorted(([a], [b]) => a.localeCompare(b))
}

await describeWithPeers('the charts, by a real helm', ['helm'], () => {
  test.each([
    ['joinery', required],
    ['joinery-crd', []],
  ])('%s has nothing that helm lint objects to', async (chart, args) => {
    const { code, stdout } = await run(await helmProgram(), ['lint', '--strict', join(charts, chart), ...args])
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  test('the CRD chart holds every definition, and keeps them when the release goes', async () => {
    const objects = await template('joinery-crd')
    expect(objects.map(({ metadata }) => metadata.name).sort()).toEqual(
      customResourceDefinitions.map(({ metadata }) => metadata.name).sort(),
    )
    for (const { metadata } of objects)
      expect(metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' })
  })

  test('the Kustomize base is what the chart renders', async () => {
    expect(await renderBase()).toBe(readFileSync(basePath, 'utf8'))
  })

  test('every switch renders what it says, and no object twice', async () => {
    const switches = [
      'serviceMonitor.enabled',
      'prometheusRule.enabled',
      'grafanaDashboard.enabled',
      'deletionGuard.enabled',
      'policies.enabled',
      'webhook.certManager.enabled',
    ]
    const without = await template('joinery', ...required)
    const all = await template(
      'joinery',
      ...required,
      '--set',
      [...switches.map((name) => `${name}=true`), 'webhook.certManager.issuerRef.name=ca'].join(),
    )
    const names = all.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    const added = new Set(all.map(({ kind }) => kind)).difference(new Set(without.map(({ kind }) => kind)))
    expect([...added].sort()).toEqual([
      'Certificate',
      'PrometheusRule',
      'ServiceMonitor',
      'ValidatingAdmissionPolicy',
      'ValidatingAdmissionPolicyBinding',
    ])
    const bare = await template('joinery', ...required, '--set', 'webhook.enabled=false,networkPolicy.enabled=false')
    expect(bare.filter(({ kind }) => /Webhook|NetworkPolicy/.test(kind))).toEqual([])
  })

  /** Each alone, and all together. */
  const choices: Record<string, string> = {
    'one replica of each': 'replicas=1,webhook.replicas=1',
    'no webhook': 'webhook.enabled=false',
    'certificates of cert-manager': 'webhook.certManager.enabled=true,webhook.certManager.issuerRef.name=ca',
    'deletion guard and policies': 'deletionGuard.enabled=true,policies.enabled=true',
    'a service account of somebody else': 'serviceAccount.create=false,serviceAccount.name=other',
    'another name': 'fullnameOverride=kp',
    'an image by its digest': 'controller.image.digest=sha256:abc,imagePullSecrets[0].name=pull',
    'the network of the host': 'hostNetwork=true,dnsPolicy=ClusterFirstWithHostNet',
    'the webhook there as well': 'webhook.hostNetwork=true',
    'the dashboard': 'controller.dashboard.enabled=true',
    'observing only': 'controller.observe=true',
    'further arguments': 'controller.extraArgs={--observe}',
    'a service monitor': 'serviceMonitor.enabled=true',
    alerts: 'prometheusRule.enabled=true,prometheusRule.additionalLabels.release=kube-prometheus-stack',
    'a dashboard for Grafana': 'grafanaDashboard.enabled=true,grafanaDashboard.namespace=monitoring',
    'no network policies': 'networkPolicy.enabled=false',
    'a webhook that must answer': 'webhook.failurePolicy=Fail,webhook.severities.JN-207=off,webhook.region=eu-west-1',
    'no constraints on where pods run':
      'affinity=null,tolerations=null,topologySpreadConstraints=null,nodeSelector=null',
    'nothing of what can be left out': 'podSecurityContext=null,strategy=null,priorityClassName=,additionalLabels=null',
    'what values for Karpenter may add to the pods': [
      'extraVolumes[0].name=ca,extraVolumes[0].configMap.name=ca,controller.extraVolumeMounts[0].name=ca',
      'controller.extraVolumeMounts[0].mountPath=/ca,initContainers[0].name=i,initContainers[0].image=i',
      'controller.sidecarContainer[0].name=s,controller.sidecarContainer[0].image=s',
      'controller.sidecarVolumeMounts[0].name=tmp,controller.sidecarVolumeMounts[0].mountPath=/t',
      'schedulerName=mine,dnsConfig.nameservers[0]=10.0.0.1,service.annotations.a=b',
      'additionalClusterRoleRules[0].apiGroups[0]=x,additionalClusterRoleRules[0].resources[0]=y',
      'additionalClusterRoleRules[0].verbs[0]=get,settings.vmMemoryOverheadPercent=0.1',
    ].join(),
    'every gate': 'settings.featureGates.nodeOverlay=true,settings.awsFeatureGates.nodeClassCEL=true',
  }
  test.each([...Object.entries(choices), ['all together', Object.values(choices).join()]])(
    'with %s the chart renders what an API server reads without an unknown field',
    async (_name, set) => {
      const objects = (await template('joinery', ...required, '--set', set)) as unknown as KubeObject[]
      expect(objects.length).toBeGreaterThan(8)
      for (const object of objects) {
        expect([object.kind, builtInSchemaProblems(object) ?? []]).toEqual([object.kind, []])
        expect(registryKinds.has(`${object.apiVersion}/${object.kind}`) || foreign.has(object.kind)).toBe(true)
      }
    },
  )

  test('settings reach the controller, severities the webhook', async () => {
    const set = 'settings.interruptionQueue=q,settings.featureGates.nodeRepair=true,webhook.severities.JN-207=off'
    const objects = await template('joinery', ...required, '--set', set)
    const containers = objects
      .filter(({ kind }) => kind === 'Deployment')
      .flatMap(({ spec }) => spec.template.spec.containers)
    const env = Object.fromEntries(containers.flatMap(({ env = [] }) => env.map(({ name, value }) => [name, value])))
    expect(env).toMatchObject({ CLUSTER_NAME: 'demo', INTERRUPTION_QUEUE: 'q' })
    expect(env['FEATURE_GATES']).toContain('NodeRepair=true')
    expect(containers.flatMap(({ args = [] }) => args)).toContain('--severity=JN-207=off')
  })

  test('an expression in spec.kubelet is warned of only where its gate is off, unless that is set otherwise', async () => {
    const severities = async (...values: readonly string[]): Promise<readonly string[]> => {
      const set = values.flatMap((value) => ['--set', value])
      return (await template('joinery', ...required, ...set))
        .filter(({ kind }) => kind === 'Deployment')
        .flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ args = [] }) => args))
        .filter((arg) => arg.startsWith('--severity'))
    }
    const gate = 'settings.awsFeatureGates.nodeClassCEL=true'
    expect(await severities()).toEqual([])
    expect(await severities(gate)).toEqual(['--severity=JN-215=off'])
    expect(await severities(gate, 'webhook.severities.JN-215=deny')).toEqual(['--severity=JN-215=deny'])
  })

  test('the rights on the lease are for the name and the namespace that the controller is told', async () => {
    const rights = async (...values: string[]): Promise<unknown> =>
      (await template('joinery', ...required, ...values))
        .filter(({ kind }) => kind === 'Role')
        .flatMap(({ metadata, rules = [] }) => rules.map((rule) => ({ namespace: metadata.namespace, ...rule })))
        .filter(({ resources }) => resources.includes('leases'))
        .map(({ namespace, resourceNames = [], verbs }) => [namespace, resourceNames, verbs])
    const env = (index: number, name: string, value: string): string[] => [
      '--set',
      `controller.env[${index}].name=${name},controller.env[${index}].value=${value}`,
    ]
    const rightsOf = (namespace: string, name: string) => [
      [namespace, [], ['create']],
      [namespace, [name], ['get', 'update']],
    ]
    expect(await rights()).toEqual(rightsOf('kube-system', 'karpenter-leader-election'))
    const named = env(0, 'LEADER_ELECTION_NAME', 'blue')
    expect(await rights(...named)).toEqual(rightsOf('kube-system', 'blue'))
    const elsewhere = [...named, ...env(1, 'LEADER_ELECTION_NAMESPACE', 'leases')]
    expect(await rights(...elsewhere)).toEqual(rightsOf('leases', 'blue'))
    expect(await rights(...elsewhere, '--set', 'webhook.enabled=false')).toEqual(rightsOf('leases', 'blue'))
  })

  test('what values for Karpenter add to the pods of its controller they add here', async () => {
    const objects = await template(
      'joinery',
      ...required,
      '--set',
      choices['what values for Karpenter may add to the pods'] ?? '',
    )
    const pod = objects.find(({ kind, metadata: { name } }) => kind === 'Deployment' && name === 'joinery')?.spec
      .template.spec
    const ca = { name: 'ca', mountPath: '/ca' }
    expect(pod).toMatchObject({
      schedulerName: 'mine',
      dnsConfig: { nameservers: ['10.0.0.1'] },
      initContainers: [{ name: 'i', image: 'i' }],
      containers: [
        { name: 'controller', volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }, ca] },
        { name: 's', image: 's', volumeMounts: [ca, { name: 'tmp', mountPath: '/t' }] },
      ],
      volumes: [{ name: 'tmp' }, { name: 'ca', configMap: { name: 'ca' } }],
    })
    const role = objects.find(({ kind, metadata: { name } }) => kind === 'ClusterRole' && name === 'joinery')
    expect(role?.rules?.at(-1)).toEqual({ apiGroups: ['x'], resources: ['y'], verbs: ['get'] })
  })

  test('what is said of all objects is on all of them, beside what they have of their own', async () => {
    const set = [
      'additionalLabels.team=platform,additionalAnnotations.owner=platform,service.annotations.a=b',
      'serviceAccount.annotations.role=r,serviceMonitor.enabled=true,webhook.certManager.enabled=true',
      'webhook.certManager.issuerRef.name=issuer',
    ].join()
    for (const { kind, metadata } of await template('joinery', ...required, '--set', set)) {
      const { labels, annotations } = metadata
      expect({ kind, labels, annotations }).toMatchObject({
        kind,
        labels: { team: 'platform' },
        annotations: {
          owner: 'platform',
          ...(kind === 'ServiceAccount' && metadata.name === 'joinery' ? { role: 'r' } : {}),
          ...(kind === 'Service' && metadata.name === 'joinery' ? { a: 'b' } : {}),
          ...(kind.endsWith('WebhookConfiguration')
            ? { 'cert-manager.io/inject-ca-from': 'kube-system/joinery-webhook' }
            : {}),
        },
      })
    }
  })

  const selector = {
    matchLabels: {
      'app.kubernetes.io/name': 'karpenter',
      'app.kubernetes.io/instance': 'joinery',
      'app.kubernetes.io/component': 'controller',
    },
  }
  const other = { matchLabels: { app: 'other' } }
  const terms = [{ topologyKey: 'zone' }, { topologyKey: 'zone', labelSelector: other }, { labelSelector: {} }]
  const filled = [{ topologyKey: 'zone', labelSelector: selector }, terms[1], terms[2]]
  const weighted = (each: readonly unknown[]) => each.map((podAffinityTerm) => ({ weight: 1, podAffinityTerm }))
  test.each(['podAffinity', 'podAntiAffinity'])(
    "a rule of %s without a labelSelector is about the controller's pods, required or preferred",
    async (kind) => {
      const rules = (each: readonly unknown[]) => ({
        requiredDuringSchedulingIgnoredDuringExecution: each,
        preferredDuringSchedulingIgnoredDuringExecution: weighted(each),
      })
      const set = ['--set-json', `affinity.${kind}=${JSON.stringify(rules(terms))}`]
      const [controller] = (await template('joinery', ...required, ...set)).filter(({ kind }) => kind === 'Deployment')
      expect(controller?.spec.template.spec.affinity).toMatchObject({ [kind]: rules(filled) })
    },
  )

  test('so is a topology spread constraint', async () => {
    const set = ['--set-json', `topologySpreadConstraints=${JSON.stringify(terms)}`]
    const [controller] = (await template('joinery', ...required, ...set)).filter(({ kind }) => kind === 'Deployment')
    expect(controller?.spec.template.spec.topologySpreadConstraints).toEqual(filled)
  })

  test('the image is pulled with the same secrets for controller and webhook', async () => {
    const objects = await template('joinery', ...required, '--set', 'imagePullSecrets[0].name=pull')
    const pods = objects.filter(({ kind }) => kind === 'Deployment').map(({ spec }) => spec.template.spec)
    expect(pods.map(({ imagePullSecrets }) => imagePullSecrets)).toEqual([[{ name: 'pull' }], [{ name: 'pull' }]])
  })

  test('who only observes is told so, and may get, list and watch what the controller reads, and nothing else', async () => {
    const rulesOf = (objects: readonly Rendered[]) =>
      objects
        .filter(({ kind, metadata: { name } }) => kind === 'ClusterRole' && name === 'joinery')
        .flatMap(({ rules }) => rules ?? [])
    const acting = rulesOf(await template('joinery', ...required))
    const objects = await template('joinery', ...required, '--set', 'controller.observe=true,webhook.enabled=false')
    const reading = acting.filter(({ verbs }) => verbs.every((verb) => ['get', 'list', 'watch'].includes(verb)))
    expect(reading.length).toBeGreaterThan(8)
    expect(rulesOf(objects)).toEqual(reading)
    expect(objects.filter(({ kind }) => kind === 'Role' || kind === 'RoleBinding')).toEqual([])
    const [container] = objects.find(({ kind }) => kind === 'Deployment')?.spec.template.spec.containers ?? []
    expect(container?.args).toEqual(['controller', '--observe'])
  })

  test('with a certificate of cert-manager the webhook may write nothing at all', async () => {
    const set = 'webhook.certManager.enabled=true,webhook.certManager.issuerRef.name=issuer'
    const verbs = (await template('joinery', ...required, '--set', set))
      .filter(({ kind, metadata: { name } }) => kind.endsWith('Role') && name === 'joinery-webhook')
      .flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.verbs))
    expect(new Set(verbs)).toEqual(new Set(['get', 'list', 'watch']))
  })

  test.each(['', ',webhook.certManager.enabled=true,webhook.certManager.issuerRef.name=issuer'])(
    'the authority of clients is mounted beside what the webhook has of its own%s',
    async (more) => {
      const set = `webhook.clientCAConfigMap=api-clients${more}`
      const webhook = (await template('joinery', ...required, '--set', set)).find(
        ({ kind, metadata: { name } }) => kind === 'Deployment' && name === 'joinery-webhook',
      )?.spec.template.spec
      const [container] = webhook?.containers ?? []
      const own = more === '' ? [] : ['certificates']
      expect(container?.args).toContain('--client-ca-file=/client-ca/ca.crt')
      expect(container?.volumeMounts?.map(({ name }) => name)).toEqual([...own, 'client-ca'])
      expect(webhook?.volumes?.map(({ name }) => name)).toEqual([...own, 'client-ca'])
      expect(webhook?.volumes?.at(-1)).toMatchObject({ configMap: { name: 'api-clients' } })
    },
  )

  test('values that make no sense are refused', async () => {
    const helm = await helmProgram()
    const refused = async (...args: string[]) =>
      (await run(helm, ['template', 'joinery', join(charts, 'joinery'), ...args])).stderr
    expect(await refused()).toContain('settings.clusterName is required')
    expect(await refused(...required, '--set', 'webhook.failurePolicy=Maybe')).toContain('failurePolicy')
    expect(await refused(...required, '--set', 'webhook.severities.JN-207=perhaps')).toContain('JN-207')
    expect(await refused(...required, '--set', 'controller.healthProbe.port=8080')).toContain('and are 8080, 8080')
    const page = 'controller.dashboard.enabled=true,controller.dashboard.port=8081'
    expect(await refused(...required, '--set', page)).toContain('and are 8080, 8081, 8081')
  })

  test.each([
    ['interuptionQueue', 'settings.interuptionQueue=q'],
    ['nodeRepairs', 'settings.featureGates.nodeRepairs=true'],
    ['cel', 'settings.awsFeatureGates.cel=true'],
    ['toleration', 'toleration[0].operator=Exists'],
    ['resource', 'controller.resource.requests.cpu=1'],
    ['replica', 'webhook.replica=3'],
    ['enable', 'deletionGuard.enable=true'],
    ['enable', 'webhook.certManager.enable=true'],
    ['repo', 'controller.image.repo=registry.example.com/joinery'],
  ])('a value that does not exist is refused: %s', async (name, set) => {
    const args = ['template', 'joinery', join(charts, 'joinery'), ...required, '--set', set]
    const { code, stderr } = await run(await helmProgram(), args)
    expect([code, stderr]).toEqual([1, expect.stringContaining(`'${name}' not allowed`)])
  })

  test('certificates of cert-manager need the name of who issues them', async () => {
    const args = ['template', 'joinery', join(charts, 'joinery'), ...required]
    const { code, stderr } = await run(await helmProgram(), [...args, '--set', 'webhook.certManager.enabled=true'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/certManager.issuerRef.*'name'/)])
  })

  test('a webhook on the network of its node finds the services of the cluster', async () => {
    const objects = await template('joinery', ...required, '--set', 'webhook.hostNetwork=true')
    const pods = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata, spec }) => [metadata.name, spec])
    expect(pods).toContainEqual([
      'joinery-webhook',
      expect.objectContaining({
        template: expect.objectContaining({
          spec: expect.objectContaining({ hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }),
        }),
      }),
    ])
  })

  test("values of Karpenter's chart that mean nothing here are let through, and what a chart around this one says", async () => {
    const set =
      'logOutputPaths[0]=stdout,logErrorOutputPaths[0]=stderr,controller.containerName=c,global.a=b,enabled=true'
    expect(await template('joinery', ...required, '--set', set)).toEqual(await template('joinery', ...required))
  })

  test('values.schema.json knows every value of values.yaml, and no other but those', () => {
    const read = (name: string) => readFileSync(join(charts, 'joinery', name), 'utf8')
    const schema = JSON.parse(read('values.schema.json')) as Schema
    const {
      global: _global,
      enabled: _enabled,
      logOutputPaths: _paths,
      logErrorOutputPaths: _errors,
      ...own
    } = schema.properties ?? {}
    const { containerName: _name, ...controller } = own['controller']?.properties ?? {}
    const known = { ...schema, properties: { ...own, controller: { ...own['controller'], properties: controller } } }
    expect(namesIn(known, parse(read('values.yaml')))).toEqual({ unknown: [], missing: [] })
  })

  test.each([
    ['as the webhook issues them', '', { insecureSkipVerify: true }],
    [
      'of cert-manager',
      ',webhook.certManager.enabled=true,webhook.certManager.issuerRef.name=ca',
      {
        ca: { secret: { name: 'joinery-webhook-tls', key: 'ca.crt' } },
        serverName: 'joinery-webhook.kube-system.svc',
      },
    ],
  ])('each service is scraped once, with certificates %s', async (_whose, set, tlsConfig) => {
    const config = 'serviceMonitor.endpointConfig.scrapeTimeout=5s,serviceMonitor.endpointConfig.scheme=http'
    const objects = await template('joinery', ...required, '--set', `serviceMonitor.enabled=true,${config}${set}`)
    expect(scraped(objects)).toEqual([
      ['joinery', { port: 'http-metrics', path: '/metrics', interval: '30s', scheme: 'http', scrapeTimeout: '5s' }],
      [
        'joinery-webhook',
        { port: 'https-webhook', path: '/metrics', interval: '30s', scheme: 'https', scrapeTimeout: '5s', tlsConfig },
      ],
    ])
  })

  test('the alerts come through as they are written, templates of Prometheus included', async () => {
    const objects = await template('joinery', ...required, '--set', 'prometheusRule.enabled=true')
    const rule = objects.find(({ kind }) => kind === 'PrometheusRule')
    const written = parse(readFileSync(join(charts, 'joinery/files/alerts.yaml'), 'utf8')) as Rendered
    expect(rule?.spec).toEqual(written.spec)
  })

  test('the dashboard for Grafana comes through as it is written, where its sidecar looks for it', async () => {
    const enabled = ['--set', 'grafanaDashboard.enabled=true']
    const dashboards = async (...values: readonly string[]) =>
      (await template('joinery', ...required, ...values)).filter(
        ({ metadata }) => metadata.name === 'joinery-dashboard',
      )
    expect(await dashboards()).toEqual([])
    const [configMap] = (await dashboards(...enabled)) as unknown as DashboardConfigMap[]
    expect(configMap?.data).toEqual({
      'joinery-nodes.json': readFileSync(join(charts, '../dashboards/joinery-nodes.json'), 'utf8'),
    })
    expect(configMap?.metadata).toMatchObject({ namespace: 'kube-system', labels: { grafana_dashboard: '1' } })
    const set = 'grafanaDashboard.namespace=monitoring,grafanaDashboard.annotations.grafana_folder=Nodes'
    const [elsewhere] = await dashboards(...enabled, '--set', set)
    expect(elsewhere?.metadata).toMatchObject({ namespace: 'monitoring', annotations: { grafana_folder: 'Nodes' } })
  })

  test('each service of the Kustomize base is scraped once by its component', () => {
    const read = (path: string) =>
      parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Rendered)
    const monitors = read(join(charts, '../components/servicemonitor/servicemonitor.yaml'))
    expect(scraped([...read(basePath), ...monitors]).map(([name, { port }]) => [name, port])).toEqual([
      ['joinery', 'http-metrics'],
      ['joinery-webhook', 'https-webhook'],
    ])
  })

  test('the chart can be packaged, to be pushed as an OCI artefact', async () => {
    const { mkdtempSync, readdirSync, rmSync } = await import('node:fs')
    const folder = mkdtempSync(join((await import('node:os')).tmpdir(), 'joinery-chart-'))
    try {
      const { code } = await run(await helmProgram(), ['package', join(charts, 'joinery'), '--destination', folder])
      expect([code, readdirSync(folder)]).toEqual([0, ['joinery-0.1.0.tgz']])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('so can a commit of it, as Flux does with the chart in Git, whose version is no label as it is', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs')
    const folder = mkdtempSync(join((await import('node:os')).tmpdir(), 'joinery-chart-'))
    const version = '0.1.0+5f2c7d1a9b3e'
    try {
      const of = ['--version', version, '--app-version', version]
      await run(await helmProgram(), ['package', join(charts, 'joinery'), ...of, '--destination', folder])
      const archive = join(folder, `joinery-${version}.tgz`)
      const objects = await renderChart('joinery', archive, ...required, '--set', 'controller.image.tag=0.1.0')
      const labels = objects.flatMap(({ metadata }) => Object.values(metadata.labels ?? {}))
      expect(labels).toContain('joinery-0.1.0_5f2c7d1a9b3e')
      expect(labels.filter((value) => labelValueErrors(value).length > 0)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
