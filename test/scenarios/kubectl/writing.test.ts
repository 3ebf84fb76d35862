import { expect, test } from 'vitest'
import { describeWithKubectl } from './kubectl.ts'
import { deployment, nodePool } from './objects.ts'

describeWithKubectl('kubectl writes', (world) => {
  test('create, replace, delete; what is wrong is said as a real server says it', async () => {
    const { kubectl, file } = world()
    const path = await file('made', deployment('made'))
    expect((await kubectl(['create', '-f', path])).stdout).toBe('deployment.apps/made created\n')
    expect((await kubectl(['create', '-f', path])).stderr).toContain('deployments.apps "made" already exists')
    const changed = await file('made', deployment('made', 'registry.example/app:2'))
    expect((await kubectl(['replace', '-f', changed])).stdout).toBe('deployment.apps/made replaced\n')
    expect((await kubectl(['delete', '-f', path])).stdout).toContain('deployment.apps "made" deleted')
    expect((await kubectl(['get', 'deployment', 'made'])).stderr).toBe(
      'Error from server (NotFound): deployments.apps "made" not found\n',
    )
  })

  const created: Record<string, [command: string, resource: string, want: object]> = {
    'a cron job': [
      'create cronjob c --image=registry.example/app:1 --schedule=@hourly -- date -u',
      'cronjob/c',
      {
        spec: {
          schedule: '@hourly',
          jobTemplate: {
            spec: { template: { spec: { containers: [{ command: ['date', '-u'] }], restartPolicy: 'OnFailure' } } },
          },
        },
      },
    ],
    'a quota': ['create quota q --hard=cpu=2,pods=10', 'quota/q', { spec: { hard: { cpu: '2', pods: '10' } } }],
    'a role': [
      'create role r --verb=get,list --resource=pods,deployments.apps',
      'role/r',
      {
        rules: [
          { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] },
          { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
        ],
      },
    ],
    'a role binding': [
      'create rolebinding b --role=r --serviceaccount=imperative:default',
      'rolebinding/b',
      {
        subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'imperative' }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
      },
    ],
    'a cluster role': [
      'create clusterrole cr --verb=get --non-resource-url=/healthz',
      'clusterrole/cr',
      { rules: [{ nonResourceURLs: ['/healthz'], verbs: ['get'] }] },
    ],
    'a cluster role binding': [
      'create clusterrolebinding cb --clusterrole=cr --user=ann',
      'clusterrolebinding/cb',
      { subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ann' }], roleRef: { name: 'cr' } },
    ],
    'an ingress': [
      'create ingress i --class=alb --rule=shop.example/cart*=shop:http,tls=cert',
      'ingress/i',
      {
        spec: {
          ingressClassName: 'alb',
          tls: [{ hosts: ['shop.example'], secretName: 'cert' }],
          rules: [
            {
              host: 'shop.example',
              http: {
                paths: [
                  {
                    path: '/cart',
                    pathType: 'Prefix',
                    backend: { service: { name: 'shop', port: { name: 'http' } } },
                  },
                ],
              },
            },
          ],
        },
      },
    ],
    'an autoscaler': [
      'autoscale deployment d --min=2 --max=5 --cpu-percent=80',
      'hpa/d',
      { spec: { minReplicas: 2, maxReplicas: 5, scaleTargetRef: { kind: 'Deployment', name: 'd' } } },
    ],
  }
  test('each command that creates without a file, of which kubectl sends protobuf', async () => {
    const { kubectl } = world()
    await kubectl(['create', 'namespace', 'imperative'])
    const inNamespace = ['-n', 'imperative']
    await kubectl(['create', 'deployment', 'd', ...inNamespace, '--image=registry.example/app:1'])
    for (const [what, [command, resource, want]] of Object.entries(created)) {
      const [verb = '', ...words] = command.split(' ')
      const done = await kubectl([verb, ...inNamespace, ...words])
      expect(done, what).toMatchObject({ code: 0 })
      const read = await kubectl(['get', resource, ...inNamespace, '-o', 'json'])
      expect(JSON.parse(read.stdout), what).toMatchObject(want)
    }
  })

  test('imperative creation, which kubectl sends as protobuf', async () => {
    const { kubectl } = world()
    expect((await kubectl(['create', 'namespace', 'proto'])).stdout).toBe('namespace/proto created\n')
    const made = [
      await kubectl(['create', 'configmap', 'c', '-n', 'proto', '--from-literal=k=v']),
      await kubectl(['create', 'secret', 'generic', 's', '-n', 'proto', '--from-literal=k=v']),
      await kubectl(['create', 'deployment', 'd', '-n', 'proto', '--image=registry.example/app:1', '--replicas=3']),
      await kubectl(['create', 'pdb', 'p', '-n', 'proto', '--selector=app=d', '--min-available=50%']),
      await kubectl(['create', 'priorityclass', 'high', '--value=100']),
    ]
    expect(made.map((result) => result.code)).toEqual([0, 0, 0, 0, 0])
    const read = await kubectl(['get', 'configmap/c', 'secret/s', 'deployment/d', 'pdb/p', '-n', 'proto', '-o', 'json'])
    const { items } = JSON.parse(read.stdout) as { items: readonly unknown[] }
    expect(items).toMatchObject([
      { data: { k: 'v' } },
      { data: { k: 'dg==' }, type: 'Opaque' },
      { spec: { replicas: 3, template: { spec: { containers: [{ image: 'registry.example/app:1' }] } } } },
      { spec: { minAvailable: '50%', selector: { matchLabels: { app: 'd' } } } },
    ])
  })

  test('client-side apply creates, is idempotent, changes, and shows differences before', async () => {
    const { kubectl, file } = world()
    const path = await file('applied', deployment('applied'), nodePool('applied'))
    expect((await kubectl(['apply', '-f', path])).stdout).toBe(
      'deployment.apps/applied created\nnodepool.karpenter.sh/applied created\n',
    )
    expect((await kubectl(['apply', '-f', path])).stdout).toBe(
      'deployment.apps/applied unchanged\nnodepool.karpenter.sh/applied unchanged\n',
    )
    const changed = await file('applied', deployment('applied', 'registry.example/app:2'), nodePool('applied'))
    const diff = await kubectl(['diff', '-f', changed])
    expect(diff.code).toBe(1)
    expect(diff.stdout).toContain('-      - image: registry.example/app:1')
    expect(diff.stdout).toContain('+      - image: registry.example/app:2')
    expect((await kubectl(['apply', '--dry-run=server', '-f', changed])).stdout).toContain(
      'deployment.apps/applied configured (server dry run)',
    )
    expect((await kubectl(['apply', '-f', changed])).stdout).toContain('deployment.apps/applied configured')
    expect((await kubectl(['diff', '-f', changed])).code).toBe(0)
  })

  test('server-side apply, its conflicts, and the way over from client-side apply', async () => {
    const { kubectl, file } = world()
    const path = await file('ssa', deployment('ssa'))
    await kubectl(['apply', '-f', path])
    expect((await kubectl(['apply', '--server-side', '-f', path])).stdout).toBe(
      'deployment.apps/ssa serverside-applied\n',
    )
    const changed = await file('ssa', deployment('ssa', 'registry.example/app:2'))
    const refused = await kubectl(['apply', '--server-side', '--field-manager=other', '-f', changed])
    expect(refused.stderr).toContain(
      'Apply failed with 1 conflict: conflict with "kubectl": .spec.template.spec.containers[name="main"].image',
    )
    const forced = await kubectl([
      'apply',
      '--server-side',
      '--field-manager=other',
      '--force-conflicts',
      '-f',
      changed,
    ])
    expect(forced.stdout).toBe('deployment.apps/ssa serverside-applied\n')
  })

  test('three kinds of patch, label, annotate, scale and edit', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('p', deployment('p'))])
    const read = async (path: string) => (await kubectl(['get', 'deployment', 'p', '-o', `jsonpath={${path}}`])).stdout
    const container = {
      spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: 'b' }] }] } } },
    }
    await kubectl(['patch', 'deployment', 'p', '-p', JSON.stringify(container)])
    expect(await read('.spec.template.spec.containers[0].image')).toBe('registry.example/app:1')
    expect(await read('.spec.template.spec.containers[0].env[0].name')).toBe('A')
    await kubectl([
      'patch',
      'deployment',
      'p',
      '--type=json',
      '-p',
      '[{"op":"replace","path":"/spec/replicas","value":4}]',
    ])
    expect(await read('.spec.replicas')).toBe('4')
    await kubectl(['patch', 'deployment', 'p', '--type=merge', '-p', '{"spec":{"replicas":5}}'])
    expect(await read('.spec.replicas')).toBe('5')
    expect((await kubectl(['label', 'deployment', 'p', 'team=a'])).stdout).toBe('deployment.apps/p labeled\n')
    expect((await kubectl(['annotate', 'deployment', 'p', 'note=b'])).stdout).toBe('deployment.apps/p annotated\n')
    expect(await read('.metadata.labels.team')).toBe('a')
    expect((await kubectl(['scale', 'deployment', 'p', '--replicas=6'])).stdout).toBe('deployment.apps/p scaled\n')
    expect(await read('.spec.replicas')).toBe('6')
    const edited = await kubectl(['edit', 'deployment', 'p'], '', {
      KUBE_EDITOR: 'sed -i s/replicas:.6/replicas:\\ 7/',
    })
    expect(edited.stdout).toBe('deployment.apps/p edited\n')
    expect(await read('.spec.replicas')).toBe('7')
  })

  test('unknown fields are refused by name, and what a CRD forbids with its message', async () => {
    const { kubectl } = world()
    const pool = nodePool('bad')
    const misspelled = { ...pool, spec: { ...pool.spec, weigth: 1 } }
    const strict = await kubectl(['create', '-f', '-'], JSON.stringify(misspelled))
    expect(strict.stderr).toContain('strict decoding error: unknown field "spec.weigth"')
    const heavy = await kubectl(['create', '-f', '-'], JSON.stringify({ ...pool, spec: { ...pool.spec, weight: 101 } }))
    expect(heavy.stderr).toContain(
      'spec.weight: Invalid value: 101: spec.weight in body should be less than or equal to 100',
    )
    const both = await kubectl(['create', '-f', '-'], JSON.stringify({ ...pool, spec: { ...pool.spec, replicas: 1 } }))
    expect(both.stderr).toContain("'weight' is not supported on static NodePools")
  })
})
