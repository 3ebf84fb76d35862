import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { builtInSchemaProblems } from '../../support/built-in-schema.ts'
import { charts, type Rendered, renderChart, required, template } from '../support/chart.ts'
import { helmProgram } from '../support/helm.ts'
import { karpenterChart } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { run } from '../support/run.ts'

/*
 * Whoever comes from Karpenter brings the values of its chart along: each means here what it means there, and what would be wrong here is
 * said.
 */

interface Monitor {
  readonly spec: {
    readonly sampleLimit?: number
    readonly endpoints: readonly { readonly relabelings?: unknown; readonly metricRelabelings?: unknown }[]
  }
}

/** What docs/running.md says to leave out of them: the image, and the name of a budget that Karpenter's release has. */
const leftOut = [
  'controller.image.repository=registry.example.com/joinery,controller.image.tag=,controller.image.digest=',
  'podDisruptionBudget.name=',
].join()

/** Whatever the chart says of it itself. */
const ownSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

function controllerOf(objects: readonly Rendered[]) {
  return objects.find(({ kind, metadata: { name } }) => kind === 'Deployment' && name === 'joinery')?.spec.template.spec
}

function monitorsOf(objects: readonly Rendered[]): readonly Monitor['spec'][] {
  return objects.filter(({ kind }) => kind === 'ServiceMonitor').map((object) => (object as unknown as Monitor).spec)
}

async function refusal(...args: string[]): Promise<string> {
  const { code, stderr } = await run(await helmProgram(), ['template', 'joinery', join(charts, 'joinery'), ...args])
  expect(code).toBe(1)
  return stderr
}

await describeWithPeers("the values of Karpenter's chart, by a real helm", ['helm', 'karpenter'], () => {
  test('all of 1.14.1, as its values.yaml has them, render what an API server reads, beside its own objects', async () => {
    const chart = await karpenterChart()
    const values = ['--values', join(chart, 'values.yaml')]
    const objects = await template('joinery', ...required, ...values, '--set', leftOut)
    for (const object of objects as unknown as KubeObject[])
      expect([object.kind, builtInSchemaProblems(object) ?? []]).toEqual([object.kind, []])
    const nameOf = ({ kind, metadata }: Rendered): string => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`
    const theirs = new Set((await renderChart('karpenter', chart, ...required)).map(nameOf))
    expect(theirs.size).toBeGreaterThan(8)
    expect(objects.map(nameOf).filter((name) => theirs.has(name))).toEqual([])
  })

  test("its image is refused, which would run as controller and as webhook, also where somebody's registry has it", async () => {
    const chart = await karpenterChart()
    for (const args of [
      ['--values', join(chart, 'values.yaml')],
      ['--set', 'controller.image.repository=111122223333.dkr.ecr.eu-central-1.amazonaws.com/karpenter/controller'],
    ]) {
      expect(await refusal(...required, ...args)).toMatch(
        /controller\.image\.repository is \S+\/karpenter\/controller, the image of Karpenter/,
      )
    }
  })
})

await describeWithPeers("single values of Karpenter's chart, by a real helm", ['helm'], () => {
  const profiles: Record<string, [string, object]> = {
    'nothing at all': ['controller.securityContext.seccompProfile=null', {}],
    'an AppArmor profile': [
      'controller.securityContext.appArmorProfile.type=RuntimeDefault',
      { appArmorProfile: { type: 'RuntimeDefault' } },
    ],
    'options of SELinux': [
      'controller.securityContext.seLinuxOptions.type=karpenter_t',
      { seLinuxOptions: { type: 'karpenter_t' } },
    ],
    'a seccomp profile': [
      'controller.securityContext.seccompProfile.type=Localhost,controller.securityContext.seccompProfile.localhostProfile=k.json',
      { seccompProfile: { type: 'Localhost', localhostProfile: 'k.json' } },
    ],
  }
  test.each(Object.entries(profiles))(
    'controller.securityContext with %s leaves the rest of what the container may not do as it is',
    async (_name, [set, more]) => {
      const objects = await template('joinery', ...required, '--set', set)
      expect(controllerOf(objects)?.containers[0]?.securityContext).toEqual({ ...ownSecurity, ...more })
    },
  )

  test.each(['privileged=true', 'runAsUser=0', 'readOnlyRootFilesystem=false', 'capabilities.add[0]=SYS_ADMIN'])(
    'controller.securityContext.%s is refused',
    async (set) => {
      const name = /^\w+/.exec(set)?.[0]
      const said = await refusal(...required, '--set', `controller.securityContext.${set}`)
      expect(said).toContain(`'${name}' not allowed`)
    },
  )

  test('settings may be templates, and their values are what the controller is told', async () => {
    const templated = {
      global: { cluster: 'demo', endpoint: 'https://a.example.com' },
      settings: {
        clusterName: '{{ .Values.global.cluster }}',
        clusterEndpoint: '{{ .Values.global.endpoint }}',
        interruptionQueue: 'queue-{{ .Values.global.cluster }}',
        amiRefreshInterval: '{{ 5 }}m',
        subnetRefreshInterval: null,
        reservedENIs: 0,
      },
    }
    const sets = Object.entries(templated).flatMap(([name, value]) => [
      '--set-json',
      `${name}=${JSON.stringify(value)}`,
    ])
    const env = controllerOf(await template('joinery', ...sets))?.containers[0]?.env ?? []
    expect(Object.fromEntries(env.map(({ name, value }) => [name, value]))).toMatchObject({
      CLUSTER_NAME: 'demo',
      CLUSTER_ENDPOINT: 'https://a.example.com',
      INTERRUPTION_QUEUE: 'queue-demo',
      AMI_REFRESH_INTERVAL: '5m',
      SUBNET_REFRESH_INTERVAL: '',
      RESERVED_ENIS: '0',
    })
  })

  test('a variable of controller.env takes the place of the one that the chart would set, which server-side apply refuses twice', async () => {
    const given = [
      { name: 'PREFERENCE_POLICY', value: 'Ignore' },
      { name: 'MEMORY_LIMIT', value: '1000000000' },
      { name: 'HTTPS_PROXY', value: 'http://proxy.example.com' },
    ]
    const own = controllerOf(await template('joinery', ...required))?.containers[0]?.env ?? []
    const set = ['--set-json', `controller.env=${JSON.stringify(given)}`]
    const env = controllerOf(await template('joinery', ...required, ...set))?.containers[0]?.env
    expect(env).toEqual([...own.filter(({ name }) => given.every((each) => each.name !== name)), ...given])
  })

  test("a volume called tmp, and what is mounted at /tmp, take the place of the chart's, which an API server refuses twice", async () => {
    const own = controllerOf(await template('joinery', ...required))
    const volume = { name: 'tmp', emptyDir: { medium: 'Memory' } }
    const podWith = async (path: string, given: object) =>
      controllerOf(await template('joinery', ...required, '--set-json', `${path}=${JSON.stringify([given])}`))
    const named = await podWith('extraVolumes', volume)
    expect(named?.volumes).toEqual([volume])
    expect(named?.containers).toEqual(own?.containers)
    const mount = { name: 'scratch', mountPath: '/tmp' }
    const mounted = await podWith('controller.extraVolumeMounts', mount)
    expect(mounted?.containers[0]?.volumeMounts).toEqual([mount])
    expect(mounted?.volumes).toEqual(own?.volumes)
  })

  test('labels may have the names of those that the chart sets: each comes once, and what is found by its labels stays found', async () => {
    const names = ['name', 'instance', 'component', 'part-of'].map((name) => `app.kubernetes.io/${name}`)
    const given = JSON.stringify(Object.fromEntries(names.map((name) => [name, 'theirs'])))
    const paths = ['additionalLabels', 'podLabels', 'grafanaDashboard.labels']
    const enabled = ['--set', 'serviceMonitor.enabled=true,prometheusRule.enabled=true,grafanaDashboard.enabled=true']
    const sets = paths.flatMap((path) => ['--set-json', `${path}=${given}`])
    const objects = await template('joinery', ...required, ...enabled, ...sets)
    const own = { 'app.kubernetes.io/name': 'karpenter', 'app.kubernetes.io/instance': 'joinery' }
    const found = { ...own, 'app.kubernetes.io/part-of': 'theirs' }
    const named = (wanted: string) =>
      objects.find(({ kind, metadata: { name } }) => kind === wanted && name === 'joinery')
    const [service, deployment] = [named('Service'), named('Deployment')]
    const component = { 'app.kubernetes.io/component': 'controller' }
    expect(service?.metadata.labels).toMatchObject({ ...found, ...component })
    const pods = deployment?.spec.template as { readonly metadata?: Rendered['metadata'] } | undefined
    expect(pods?.metadata?.labels).toEqual({ ...found, ...component })
  })

  test('initContainers may be {}, as its values.yaml has them', async () => {
    const none = await template('joinery', ...required, '--set-json', 'initContainers={}')
    expect(none).toEqual(await template('joinery', ...required))
    expect(await refusal(...required, '--set', 'initContainers.name=i')).toContain('initContainers')
  })

  test('serviceMonitor.relabelings and metricRelabelings are on what is scraped', async () => {
    const set = [
      'serviceMonitor.enabled=true,serviceMonitor.relabelings[0].targetLabel=cluster',
      'serviceMonitor.relabelings[0].replacement=demo,serviceMonitor.metricRelabelings[0].action=labeldrop',
      'serviceMonitor.metricRelabelings[0].regex=pod',
    ].join()
    const relabelings = [{ targetLabel: 'cluster', replacement: 'demo' }]
    const metricRelabelings = [{ action: 'labeldrop', regex: 'pod' }]
    const monitors = monitorsOf(await template('joinery', ...required, '--set', set))
    expect(monitors).toHaveLength(2)
    for (const { endpoints } of monitors) expect(endpoints).toMatchObject([{ relabelings, metricRelabelings }])
  })

  test('what serviceMonitor.endpointConfig says itself goes before them', async () => {
    const set = [
      'serviceMonitor.enabled=true,serviceMonitor.relabelings[0].targetLabel=a',
      'serviceMonitor.endpointConfig.relabelings[0].targetLabel=b',
    ].join()
    for (const { endpoints } of monitorsOf(await template('joinery', ...required, '--set', set)))
      expect(endpoints.map((endpoint) => endpoint.relabelings)).toEqual([[{ targetLabel: 'b' }]])
  })

  test.each([
    ['20000', 20_000],
    ['0', 0],
    ['null', undefined],
  ])('serviceMonitor.sampleLimit %s is that of the monitors', async (given, want) => {
    const set = `serviceMonitor.enabled=true,serviceMonitor.sampleLimit=${given}`
    const monitors = monitorsOf(await template('joinery', ...required, '--set', set))
    expect(monitors.map(({ sampleLimit }) => sampleLimit)).toEqual([want, want])
  })
})
