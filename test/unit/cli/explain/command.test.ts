import { expect, test } from 'vitest'
import { nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { runCommand } from '../../../support/command-run.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { servedAPIServer } from '../../../support/served-api-server.ts'
import { catalogue, machine, pod, pool } from './world.ts'

test('the feature gates are those of the operator that runs, unless others are given', async () => {
  const operator = (replicas: number, gates: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: joinery-${replicas}, namespace: kube-system}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: joinery}}
  template:
    metadata: {labels: {app: joinery}}
    spec: {containers: [{name: controller, image: joinery, env: [{name: FEATURE_GATES, value: "${gates}"}]}]}
`
  const sick =
    '{type: Ready, status: "False", reason: KubeletNotReady, message: "", lastTransitionTime: "2026-01-01T01:00:00Z"}'
  const manifests =
    operator(0, 'NodeRepair=false,NodeOverlay=true') +
    operator(2, 'NodeRepair=true') +
    pool() +
    machine('n1', { ready: sick })
  const args = ['explain', 'node', 'n1', '-f', '-', '-o', 'json', '--now', '2026-01-02T00:00:00Z']
  const input = { stdin: catalogue + manifests }
  const seen = await runCommand(args, input)
  expect(seen.stderr).toBe('note: feature gates as Deployment kube-system/joinery-2 has them: NodeRepair=true\n')
  expect(JSON.parse(seen.stdout)).toMatchObject({
    summary: 'The node is replaced now: it has been unhealthy for too long.',
  })
  const given = await runCommand([...args, '--feature-gates', 'NodeRepair=false'], input)
  expect(given.stderr).toBe('')
  expect(JSON.parse(given.stdout).reasons).toContainEqual(expect.objectContaining({ code: 'NodeRepairDisabled' }))
  const usual = await runCommand(args, { stdin: catalogue + operator(2, 'NodeRepair=false') + pool() + machine('n1') })
  expect(usual.stderr).toBe('')
})

test('pods are judged by the policies that are given, as the operator has them', async () => {
  const summary = async (manifests: string, ...flags: string[]): Promise<string> => {
    const args = ['explain', 'pod', 'shop/web', '-f', '-', '-o', 'json', '--now', '2026-01-02T00:00:00Z', ...flags]
    const { stdout } = await runCommand(args, { stdin: catalogue + manifests })
    return (JSON.parse(stdout) as { summary: string }).summary
  }
  const manyArchs = pool().replace(
    'requirements: [',
    'requirements: [{key: kubernetes.io/arch, operator: Exists, minValues: 3}, ',
  )
  const waits = 'The pod waits: no node there is has room for it, and every NodePool refuses it.'
  const launched = 'A new node of NodePool general would run the pod.'
  expect(await summary(manyArchs + pod('web'))).toBe(waits)
  expect(await summary(manyArchs + pod('web'), '--min-values-policy', 'BestEffort')).toBe(launched)
  const choosy = pod('web', {
    more: 'affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: node.kubernetes.io/instance-type, operator: In, values: [small]}]}}]}}',
  })
  expect(await summary(pool() + machine('n1') + choosy)).toBe(launched)
  expect(await summary(pool() + machine('n1') + choosy, '--preference-policy', 'Ignore')).toBe(
    'The pod fits node n1, no new node is needed.',
  )
})

test('the text names the object, the answer, and how to help', async () => {
  const { stdout } = await runCommand(['explain', 'pod', 'web', '-n', 'shop', '-f', '-'], {
    stdin: catalogue + pool({ taints: '[{key: team, effect: NoSchedule}]' }) + pod('web'),
  })
  const [first, second] = stdout.split('\n')
  expect(first).toBe('Pod shop/web')
  expect(second).toMatch(/^The pod waits/)
  expect(stdout).toMatch(/^x nodepool general: did not tolerate taint .*\[taints\]\n {4}help: /m)
})

test('what is not there exits with 1, wrong usage with 2', async () => {
  const missing = await runCommand(['explain', 'node', 'n9', '-f', '-'], { stdin: pool() })
  expect(missing).toMatchObject({ code: 1, stderr: 'there is no node n9 in the input\n' })
  expect((await runCommand(['explain', 'pod', 'web', '-f', '-'], { stdin: pool() })).stderr).toBe(
    'there is no pod web in namespace default of the input\n',
  )
  const elsewhere = await runCommand(['explain', 'pod', 'web', '-f', '-'], { stdin: catalogue + pool() + pod('web') })
  expect(elsewhere).toMatchObject({
    code: 1,
    stderr: 'there is no pod web in namespace default of the input; there is one in shop\n',
  })
  const misspelt = await runCommand(['explain', 'nodepool', 'genral', '-f', '-'], { stdin: pool() })
  expect(misspelt.stderr).toBe('there is no nodepool genral in the input. Did you mean "general"?\n')
  const misspeltPod = await runCommand(['explain', 'pod', 'shop/wep', '-f', '-'], { stdin: pool() + pod('web') })
  expect(misspeltPod.stderr).toBe('there is no pod wep in namespace shop of the input. Did you mean "web"?\n')
  expect((await runCommand(['explain', 'deployment', 'web', '-f', '-'])).code).toBe(2)
  for (const name of ['a/b/c', 'a/', '/b']) {
    const { code, stderr } = await runCommand(['explain', 'pod', name, '-f', '-'])
    expect([code, stderr]).toEqual([2, `error: ${name}: expected NAME or NAMESPACE/NAME of a pod\n`])
  }
  expect((await runCommand(['explain', 'node', 'n1', '-f', '-', '--context', 'prod'])).code).toBe(2)
})

test('a pool of which nobody has told whether it is ready launches nothing in a cluster; in manifests it is taken as ready', async () => {
  const { client, kubeconfig, stop } = await servedAPIServer()
  try {
    const created = await client.create(nodePools, aPool('general'))
    const asked = ['explain', 'nodepool', 'general', '--kubeconfig', kubeconfig]
    const { stdout } = await runCommand(asked)
    expect(stdout).toContain('The NodePool cannot launch nodes; it has no nodes.')
    expect(stdout).toContain('x condition Ready: nothing has told yet whether it is ready [NoStatus]')
    const conditions = [
      {
        type: 'Ready',
        status: 'True' as const,
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]
    await client.update(nodePools, { ...created, status: { conditions } }, { subresource: 'status' })
    expect((await runCommand(asked)).stdout).not.toContain('NoStatus')
  } finally {
    await stop()
  }
  const offline = await runCommand(['explain', 'nodepool', 'general', '-f', '-'], { stdin: catalogue + pool() })
  expect(offline.stdout).toContain('The NodePool can launch nodes')
})
