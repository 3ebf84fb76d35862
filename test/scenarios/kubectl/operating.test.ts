import { expect, test } from 'vitest'
import { describeWithKubectl } from './kubectl.ts'
import { deployment, node, pod } from './objects.ts'

describeWithKubectl('kubectl operates', (world) => {
  test('cordon, taint, drain around a disruption budget, uncordon', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('node', node('n1'), pod('free', 'n1'), pod('guarded', 'n1'))])
    expect((await kubectl(['cordon', 'n1'])).stdout).toBe('node/n1 cordoned\n')
    expect((await kubectl(['get', 'node', 'n1', '--no-headers'])).stdout).toMatch(
      /^n1\s+Ready,SchedulingDisabled\s+<none>\s+\d+s\s+v1.33.0/,
    )
    expect((await kubectl(['taint', 'node', 'n1', 'team=a:NoSchedule'])).stdout).toBe('node/n1 tainted\n')
    const running = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }
    await kubectl(['patch', 'pod', 'guarded', '--subresource=status', '-p', JSON.stringify(running)])
    await kubectl(['create', 'pdb', 'guard', '--selector=app=guarded', '--min-available=1'])
    const budget = {
      status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    }
    await kubectl(['patch', 'pdb', 'guard', '--subresource=status', '--type=merge', '-p', JSON.stringify(budget)])
    const held = await kubectl(['drain', 'n1', '--force', '--timeout=3s'])
    expect(held.code).not.toBe(0)
    expect(held.stdout).toContain('pod/free evicted')
    expect(held.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget")
    await kubectl(['delete', 'pdb', 'guard'])
    const drained = await kubectl(['drain', 'n1', '--force', '--timeout=30s'])
    expect(drained.stdout).toContain('node/n1 drained')
    expect((await kubectl(['uncordon', 'n1'])).stdout).toBe('node/n1 uncordoned\n')
  })

  test('rollout status follows a deployment; restart changes its template', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('rolled', deployment('rolled'))])
    const following = kubectl(['rollout', 'status', 'deployment', 'rolled', '--timeout=30s'])
    const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 }
    await kubectl([
      'patch',
      'deployment',
      'rolled',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ])
    expect((await following).stdout).toContain('deployment "rolled" successfully rolled out')
    expect((await kubectl(['rollout', 'restart', 'deployment', 'rolled'])).stdout).toBe(
      'deployment.apps/rolled restarted\n',
    )
    expect((await kubectl(['get', 'deployment', 'rolled', '-o', 'jsonpath={.metadata.generation}'])).stdout).toBe('2')
  })

  test('delete waits for finalizers; wait --for=delete sees the end', async () => {
    const { kubectl, file } = world()
    const held = { ...node('held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } }
    await kubectl(['create', '-f', await file('held', held)])
    const timedOut = await kubectl(['delete', 'node', 'held', '--timeout=1s'])
    expect(timedOut.stderr).toContain('timed out waiting for the condition')
    const waiting = kubectl(['wait', '--for=delete', 'node/held', '--timeout=30s'])
    await kubectl(['patch', 'node', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'])
    expect((await waiting).code).toBe(0)
  })

  test('deleting a namespace takes everything in it', async () => {
    const { kubectl } = world()
    await kubectl(['create', 'namespace', 'gone'])
    await kubectl(['create', 'configmap', 'c', '-n', 'gone'])
    expect((await kubectl(['delete', 'namespace', 'gone', '--timeout=30s'])).stdout).toBe('namespace "gone" deleted\n')
    expect((await kubectl(['get', 'configmaps', '-A', '-o', 'name'])).stdout).not.toContain('configmap/c\n')
  })
})
