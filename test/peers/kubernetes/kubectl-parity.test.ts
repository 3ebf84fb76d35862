import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { serve } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createEmbeddedCluster } from '../../../src/embedded/index.ts'
import { describeWithPeers } from '../support/peers.ts'
import { kubectlProgram } from '../support/programs.ts'
import { run } from '../support/run.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const space = 'kubectl'
const labels = { app: 'web' }
const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } }
const named = (apiVersion: string, kind: string, more: object, name = 'web') => ({
  apiVersion,
  kind,
  metadata: { name, namespace: space, labels },
  ...more,
})

/** No replicas and no controllers: what both servers say of them depends on themselves alone. */
const objects = [
  named('apps/v1', 'Deployment', { spec: { replicas: 0, selector: { matchLabels: labels }, template } }),
  named('v1', 'Service', { spec: { type: 'ExternalName', externalName: 'db.example.com' } }),
  named('networking.k8s.io/v1', 'Ingress', {
    spec: {
      ingressClassName: 'alb',
      rules: [
        {
          host: 'web.example.com',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  named('networking.k8s.io/v1', 'NetworkPolicy', {
    spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
  }),
  named('autoscaling/v1', 'HorizontalPodAutoscaler', {
    spec: {
      maxReplicas: 3,
      targetCPUUtilizationPercentage: 60,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    },
  }),
  named('discovery.k8s.io/v1', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'] }],
    ports: [{ port: 80 }],
  }),
  named('rbac.authorization.k8s.io/v1', 'Role', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }),
  named('rbac.authorization.k8s.io/v1', 'RoleBinding', {
    roleRef: { kind: 'Role', name: 'web', apiGroup: 'rbac.authorization.k8s.io' },
    subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: space }],
  }),
  named('batch/v1', 'CronJob', {
    spec: {
      schedule: '@daily',
      jobTemplate: { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
    },
  }),
  named('v1', 'ConfigMap', { data: { a: 'b' }, immutable: true }),
  named('v1', 'LimitRange', { spec: { limits: [{ type: 'Container', default: { cpu: '100m' } }] } }),
]

const kinds = 'service,ingress,networkpolicy,hpa,endpointslice,role,rolebinding,cronjob,configmap,limitrange'

/** In this order, the manifest being `web.yaml` and a wrong one `wrong.yaml`. */
const commands = [
  'diff -f web.yaml',
  'apply -f web.yaml --dry-run=server',
  'apply -f web.yaml',
  'apply -f web.yaml',
  `get ${kinds} -o wide`,
  'get deployment web --show-labels -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[*].image',
  'get configmap web -o jsonpath={.data.a}',
  `describe ${kinds}`,
  'scale deployment web --replicas=0 --current-replicas=7',
  'set image deployment/web web=registry.example/web:2',
  'set env deployment/web A=B',
  'set resources deployment/web --limits=cpu=100m',
  'label configmap web a=b',
  'label configmap web a=c',
  'annotate configmap web a-',
  'patch configmap web --type=json -p [{"op":"test","path":"/data/a","value":"x"}]',
  'patch configmap web -p {"data":{"a":"c"}}',
  'patch deployment web -p {"spec":{"selector":{"matchLabels":{"x":"y"}}}}',
  'apply -f wrong.yaml',
  'create -f wrong.yaml --validate=false',
  'wait configmap/web --for=jsonpath={.data.a}=b --timeout=5s',
  'wait configmap/none --for=delete --timeout=5s',
  'get configmap --field-selector=metadata.name=web -o name',
  'get configmap --field-selector=spec.a=b',
  'get configmap none',
  'get nothing',
  'autoscale deployment web --max=3',
  'expose deployment web --port=80 --name=web',
  'create job web --from=cronjob/none',
  'explain pod.spec.nodeName',
  'explain --output=plaintext-openapiv2 pod.spec.nodeName',
  'delete configmap web --dry-run=server',
  'delete -f web.yaml --wait=false',
  'delete configmap web',
]

await describeWithPeers('kubectl says the same of the embedded cluster', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()
  const started = new AsyncDisposableStack()
  let folder = ''
  let embedded = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joinery-kubectl-'))
    started.defer(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, 'web.yaml'), objects.map((object) => stringify(object)).join('---\n'))
    const wrong = named('apps/v1', 'Deployment', {
      spec: { replicas: 'many', odd: 1, selector: { matchLabels: labels }, template },
    })
    await writeFile(join(folder, 'wrong.yaml'), stringify({ ...wrong, metadata: { ...wrong.metadata, name: 'wrong' } }))
    const clock = new VirtualClock({ startMs: Date.now() })
    const cluster = await createEmbeddedCluster({ seed: 1, clock, systemNode: false })
    started.defer(() => cluster.stop())
    embedded = join(folder, 'embedded.kubeconfig')
    const server = await serve({ server: cluster.apiServer, kubeconfigPath: embedded })
    started.defer(() => server.close())
    for (const kubeconfig of [controlPlane().kubeconfig, embedded]) {
      expect((await kubectl(kubeconfig, ['create', 'namespace', space])).code).toBe(0)
    }
  })
  afterAll(() => started.disposeAsync())

  async function kubectl(kubeconfig: string, args: readonly string[]) {
    const program = await kubectlProgram()
    const env = { KUBECONFIG: kubeconfig, HOME: folder }
    return run(program.command, [...program.args, ...args], { env, cwd: folder })
  }

  test.each(commands.map((command, index) => [command, index] as const))('%s', async (command) => {
    const args = [...command.split(' '), '--namespace', space]
    const [real, ours] = await Promise.all(
      [controlPlane().kubeconfig, embedded].map(async (kubeconfig) => {
        const { code, stdout, stderr } = await kubectl(kubeconfig, args)
        return { code, stdout: comparable(stdout), stderr: comparable(stderr) }
      }),
    )
    expect(ours).toEqual(real)
  })
})

/** Without what differs from run to run, and how wide columns are for it. */
function comparable(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/^([-+]{3}|diff) /.test(line))
    .map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d( \+0000 UTC|Z)?/g, '<time>')
        .replaceAll(/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000/g, '<time>')
        .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uid>')
        .replaceAll(/(?<=\s)(\d+m)?\d+s\b/g, '<age>')
        .replaceAll(/ +/g, ' ')
        .trimEnd(),
    )
}
