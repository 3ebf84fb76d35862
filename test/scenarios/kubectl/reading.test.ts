import { expect, test } from 'vitest'
import { describeWithKubectl } from './kubectl.ts'
import { deployment, node, nodePool, pod } from './objects.ts'

const columnsOf = (text: string): string[] => (text.split('\n')[0] ?? '').trim().split(/\s{2,}|\s(?=[A-Z])/)

describeWithKubectl('kubectl reads', (world) => {
  test('custom kinds print the columns of their CRDs, wide ones with -o wide', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('pool', nodePool('default'))])
    // Golden by the specification of the API, section 1.
    expect(columnsOf((await kubectl(['get', 'nodepools'])).stdout)).toEqual([
      'NAME',
      'NODECLASS',
      'NODES',
      'READY',
      'AGE',
    ])
    expect(columnsOf((await kubectl(['get', 'nodepools', '-o', 'wide'])).stdout)).toEqual([
      'NAME',
      'NODECLASS',
      'NODES',
      'READY',
      'AGE',
      'WEIGHT',
      'CPU',
      'MEMORY',
    ])
    const status = {
      conditions: [
        { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Ready', message: '' },
      ],
    }
    await kubectl([
      'patch',
      'nodepool',
      'default',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ])
    expect((await kubectl(['get', 'nodepool', 'default', '--no-headers'])).stdout).toMatch(
      /^default\s+main\s+0\s+True\s+\d+s\s*$/,
    )
    const waited = await kubectl(['wait', '--for=condition=Ready', 'nodepool/default', '--timeout=10s'])
    expect(waited.stdout).toBe('nodepool.karpenter.sh/default condition met\n')
  })

  test('get by name, selector and field; as yaml, json and jsonpath', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('pods', pod('a', 'n1'), pod('b', 'n2'))])
    expect((await kubectl(['get', 'pods', '-l', 'app=a', '-o', 'name'])).stdout).toBe('pod/a\n')
    expect((await kubectl(['get', 'pods', '-A', '--field-selector', 'spec.nodeName=n2', '-o', 'name'])).stdout).toBe(
      'pod/b\n',
    )
    expect((await kubectl(['get', 'pod', 'a', '-o', 'yaml'])).stdout).toContain('nodeName: n1')
    expect((await kubectl(['get', 'pods', '-o', 'wide'])).stdout).toMatch(/a\s+0\/1\s+Pending\s+0\s+\d+s\s+<none>\s+n1/)
    expect((await kubectl(['get', 'pods', '--field-selector', 'spec.none=x'])).stderr).toContain(
      'field label not supported: spec.none',
    )
  })

  test('get -w prints what changes', async () => {
    const { kubectl, file, start } = world()
    await kubectl(['create', '-f', await file('watched', deployment('watched'))])
    const watching = start(['get', 'deployment', 'watched', '-w'])
    await expect.poll(() => watching.lines().length, { timeout: 20_000 }).toBe(2)
    await kubectl(['scale', 'deployment', 'watched', '--replicas=9'])
    await expect.poll(() => watching.lines().at(-1), { timeout: 20_000 }).toMatch(/^watched\s+0\/9/)
    watching.stop()
  })

  test('describe, explain, api-resources, events, auth', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('described', node('described'), pod('on-it', 'described'))])
    const described = (await kubectl(['describe', 'node', 'described'])).stdout
    expect(described).toContain('node.kubernetes.io/not-ready:NoSchedule')
    expect(described).toMatch(/default\s+on-it/)
    const explained = (await kubectl(['explain', 'nodepool.spec.disruption'])).stdout
    expect(explained).toContain('FIELD: disruption <Object>')
    expect(explained).toContain('consolidateAfter\t<string> -required-')
    expect((await kubectl(['explain', 'pod.spec.containers'])).stdout).toContain('FIELD: containers <[]Container>')
    const resources = (await kubectl(['api-resources', '--no-headers'])).stdout
    expect(resources).toMatch(/ec2nodeclasses\s+ec2nc,ec2ncs\s+karpenter\.k8s\.aws\/v1\s+false\s+EC2NodeClass/)
    expect((await kubectl(['get', 'karpenter'])).code).toBe(0)
    await kubectl(
      ['create', '-f', '-'],
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e', namespace: 'default' },
        involvedObject: { kind: 'Pod', name: 'on-it', namespace: 'default' },
        reason: 'Nominated',
        message: 'should schedule on: described',
        type: 'Normal',
        lastTimestamp: '2026-01-01T00:00:00Z',
      }),
    )
    expect((await kubectl(['events'])).stdout).toContain('should schedule on: described')
    expect((await kubectl(['get', 'events'])).stdout).toMatch(
      /Normal\s+Nominated\s+pod\/on-it\s+should schedule on: described/,
    )
    expect((await kubectl(['auth', 'can-i', 'delete', 'nodes'])).stdout).toBe('yes\n')
    expect((await kubectl(['auth', 'whoami'])).stdout).toContain('kubernetes-admin')
  })

  test('exec, attach, logs, port-forward and create token say why they cannot be', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('lone', pod('lone', 'n1'))])
    const running = JSON.stringify({ status: { phase: 'Running' } })
    await kubectl(['patch', 'pod', 'lone', '--subresource=status', '--type=merge', '-p', running])
    const refused = {
      'nothing to execute a command in': ['exec', 'lone', '--', 'true'],
      'nothing to attach to': ['attach', 'lone'],
      'they log nothing': ['logs', 'lone'],
      'no port of theirs is open': ['port-forward', 'lone', '18080:80'],
      'a token would authenticate nobody': ['create', 'token', 'default'],
    }
    for (const [because, args] of Object.entries(refused)) {
      const { code, stderr } = await kubectl(args)
      expect(code).not.toBe(0)
      expect(stderr).toContain(because)
    }
  })
})
