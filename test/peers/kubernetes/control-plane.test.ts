import { expect, test } from 'vitest'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

await describeWithPeers('a real API server', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()

  test('is of a version whose behaviour is matched', async () => {
    const { body } = await controlPlane().request('GET', '/version')
    expect(Number((body as { minor: string }).minor)).toBeGreaterThanOrEqual(34)
  })

  test('answers kubectl', async () => {
    const made = await controlPlane().kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello' }, data: { a: 'b' } }),
    })
    expect(made).toMatchObject({ code: 0, stdout: 'configmap/hello created\n' })
    const read = await controlPlane().kubectl(['get', 'configmap', 'hello', '-o', 'jsonpath={.data.a}'])
    expect(read.stdout).toBe('b')
  })

  test('asks RBAC about everyone but the administrator', async () => {
    const kubeconfig = await controlPlane().kubeconfigFor('jane', ['readers'])
    const listConfigMaps = () => controlPlane().kubectl(['get', 'configmaps', '-o', 'name'], { kubeconfig })
    expect(await listConfigMaps()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('User "jane" cannot list'),
    })
    await controlPlane().kubectl(['create', 'role', 'readers', '--verb=list', '--resource=configmaps'])
    await controlPlane().kubectl(['create', 'rolebinding', 'readers', '--role=readers', '--group=readers'])
    await expect.poll(async () => (await listConfigMaps()).code, { timeout: 30_000 }).toBe(0)
  })

  test('knows a service account by its token', async () => {
    const kubeconfig = await controlPlane().serviceAccountKubeconfig('default', 'robot')
    const { stderr } = await controlPlane().kubectl(['get', 'nodes'], { kubeconfig })
    expect(stderr).toContain('User "system:serviceaccount:default:robot" cannot list resource "nodes"')
  })
})

await describeWithPeers(
  'a whole control plane',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'],
  () => {
    const controlPlane = useControlPlane({ controllerManager: {}, scheduler: 'run' })

    test('makes the pods of a deployment and places them on a ready node', async () => {
      const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }
      expect((await controlPlane().request('POST', '/api/v1/nodes', node)).status).toBe(201)
      const room = { cpu: '4', memory: '8Gi', pods: '10' }
      const status = {
        capacity: room,
        allocatable: room,
        conditions: [{ type: 'Ready', status: 'True', reason: 'Test' }],
      }
      await controlPlane().request('PATCH', '/api/v1/nodes/n1/status', { status }, 'application/merge-patch+json')
      const labels = { app: 'web' }
      const deployment = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: {
          replicas: 3,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'registry.example/web:1' }] } },
        },
      }
      const created = await controlPlane().request('POST', '/apis/apps/v1/namespaces/default/deployments', deployment)
      expect(created.status).toBe(201)
      const placed = async (): Promise<string[]> => {
        const { body } = await controlPlane().request('GET', '/api/v1/namespaces/default/pods?labelSelector=app%3Dweb')
        return (body as { items: { spec: { nodeName?: string } }[] }).items.map((pod) => pod.spec.nodeName ?? '')
      }
      await expect.poll(placed, { timeout: 60_000, interval: 200 }).toEqual(['n1', 'n1', 'n1'])
    })
  },
)
