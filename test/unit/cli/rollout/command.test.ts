import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { EC2NodeClass, NodePool } from '../../../../src/api/karpenter.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../../../src/kube/karpenter-kinds.ts'
import type { Resource } from '../../../../src/kube/resource.ts'
import { type CommandResult, runCommand } from '../../../support/command-run.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { servedAPIServer, type ServedAPIServer } from '../../../support/served-api-server.ts'

const target = '123-0a0a0a0a'
let world: ServedAPIServer

beforeAll(async () => {
  world = await servedAPIServer()
})

afterAll(async () => {
  await world.stop()
})

beforeEach(async () => {
  for (const resource of [nodePools, ec2NodeClasses, rolloutPolicies] as readonly Resource[]) {
    for (const { metadata } of (await world.client.list(resource)).items)
      await world.client.delete(resource, { name: metadata.name })
  }
  const pool = await world.client.create(nodePools, aPool('general'))
  const conditions = [
    { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    {
      type: 'Reconciling',
      status: 'True',
      reason: 'NodesDrifted',
      message: '2 of 3 nodes differ',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ] as const
  await setStatus({
    ...pool,
    status: {
      conditions: [...conditions],
      target,
      nodes: 3,
      readyNodes: 3,
      upToDateNodes: 1,
      driftedNodes: 2,
      blockedNodes: 1,
      blockedBy: [{ reason: 'PDBBlocked', nodes: 1, message: 'PDB shop/web allows none' }],
    },
  })
})

function setStatus(pool: NodePool): Promise<NodePool> {
  return world.client.update(nodePools, pool, { subresource: 'status' })
}

function createClass(name: string, annotated: Record<string, string> = {}): Promise<EC2NodeClass> {
  return world.client.create(ec2NodeClasses, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name, annotations: annotated },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ id: 'subnet-0123456789abcdef0' }],
      securityGroupSelectorTerms: [{ id: 'sg-0123456789abcdef0' }],
      role: 'node',
    },
  })
}

function rollout(...args: string[]): Promise<CommandResult> {
  return runCommand(['rollout', ...args, '--kubeconfig', world.kubeconfig])
}

async function annotations(): Promise<Record<string, string>> {
  return (await world.client.get(nodePools, { name: 'general' })).metadata.annotations ?? {}
}

test('status tells of one pool what is old and what blocks', async () => {
  const { code, stdout } = await rollout('status', 'general')
  expect(code).toBe(0)
  expect(stdout).toContain('nodepool/general: Progressing: 1 of 3 nodes up to date; 2 of 3 nodes differ [NodesDrifted]')
  expect(stdout).toContain('1 by PDBBlocked: PDB shop/web allows none')
  expect(stdout).toContain(target)
})

test('status names the command that ends the wait for a person', async () => {
  const pool = await world.client.get(nodePools, { name: 'general' })
  const waiting = { phase: 'AwaitingApproval', policy: 'careful', message: 'awaits joinery.dev/approve' } as const
  await setStatus({ ...pool, status: { ...pool.status, rollout: waiting } })
  expect((await rollout('status', 'general')).stdout).toMatch(/to approve +joinery rollout approve nodepool\/general\n/)
  expect((await rollout('history', 'general')).stdout).toContain(
    'no rollout of nodepool/general under rolloutpolicy/careful has ended yet; images are in `joinery rollout history',
  )
  await rollout('pause', 'general', '--for', '1h')
  const paused = await rollout('status', 'general')
  expect(paused.stdout).toMatch(/to resume +joinery rollout resume nodepool\/general\n/)
  expect(paused.stdout).not.toContain('to approve')
})

test('status of everything is a table, or the same as JSON or YAML', async () => {
  expect((await rollout('status')).stdout).toMatch(/nodepool\/general +Progressing +3 +3 +1 +2 +1 +NodesDrifted/)
  const json: unknown = JSON.parse((await rollout('status', '-o', 'json')).stdout)
  expect(json).toMatchObject([{ kind: 'NodePool', name: 'general', outlook: 'Progressing', driftedNodes: 2 }])
  expect((await rollout('status', '-o', 'yaml')).stdout).toContain('outlook: Progressing')
})

const stalled = {
  type: 'Stalled',
  status: 'True',
  reason: 'Halted',
  message: 'the canary failed',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const

test('status of a policy is a table of all that it governs, one pool or several', async () => {
  const governed = { policy: 'careful', phase: 'Waiting' } as const
  const first = await world.client.get(nodePools, { name: 'general' })
  await setStatus({ ...first, status: { ...first.status, rollout: governed } })
  await world.client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful' },
    spec: { nodePoolSelector: {} },
  })
  const one: unknown = JSON.parse((await rollout('status', 'rolloutpolicy/careful', '-o', 'json')).stdout)
  expect(one).toMatchObject([{ name: 'general' }])
  const second = await world.client.create(nodePools, aPool('second'))
  await setStatus({ ...second, status: { conditions: [stalled], rollout: { ...governed, phase: 'Halted' } } })
  const { code, stdout } = await rollout('status', 'rolloutpolicy/careful')
  expect(code).toBe(1)
  expect(stdout).toMatch(/nodepool\/general +Waiting/)
  expect(stdout).toMatch(/nodepool\/second +Stalled/)
})

test('who waits for a policy, or for a pool of it, waits for the last soak', async () => {
  const pool = await world.client.get(nodePools, { name: 'general' })
  const conditions = (pool.status?.conditions ?? []).map(
    (each) => ({ ...each, status: each.type === 'Ready' ? 'True' : 'False' }) as const,
  )
  await setStatus({ ...pool, status: { ...pool.status, conditions } })
  const policy = await world.client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful' },
    spec: { nodePoolSelector: {} },
  })
  const working = {
    type: 'Reconciling',
    status: 'True',
    reason: 'Soaking',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  } as const
  const status = {
    phase: 'Soaking',
    message: 'soaks',
    nodePools: [{ name: 'general', startNodes: 3 }],
    conditions: [working],
  } as const
  const soaking = await world.client.update(
    rolloutPolicies,
    { ...policy, status: { ...status, nodePools: [...status.nodePools], conditions: [...status.conditions] } },
    { subresource: 'status' },
  )
  for (const object of [[], ['general'], ['rop/careful']]) {
    expect((await rollout('status', ...object)).stdout).toMatch(/nodepool\/general:? +Progressing.*Soaking/)
    expect((await rollout('status', ...object, '--watch', '--timeout', '1ms')).code).toBe(1)
  }
  const ended = { ...soaking.status, conditions: [{ ...working, status: 'False' as const }] }
  await world.client.update(rolloutPolicies, { ...soaking, status: ended }, { subresource: 'status' })
  expect((await rollout('status', 'rop/careful', '--watch')).code).toBe(0)
})

test('a stalled pool makes exit code 1, watched or not', async () => {
  const pool = await world.client.get(nodePools, { name: 'general' })
  await setStatus({ ...pool, status: { ...pool.status, conditions: [...(pool.status?.conditions ?? []), stalled] } })
  expect((await rollout('status')).code).toBe(1)
  const watched = await rollout('status', 'general', '--watch')
  expect(watched.code).toBe(1)
  expect(watched.stderr).toContain(
    'stalled: nodepool/general: Stalled: 1 of 3 nodes up to date; the canary failed [Halted]',
  )
})

test('a watch ends with 0 once all is done, and with 1 when the time is over before', async () => {
  const late = await rollout('status', 'general', '--watch', '--timeout', '1ms')
  expect(late.code).toBe(1)
  expect(late.stderr).toContain('not done in time')
  const pool = await world.client.get(nodePools, { name: 'general' })
  const conditions = (pool.status?.conditions ?? []).map((condition) =>
    condition.type === 'Reconciling' ? { ...condition, status: 'False' as const } : condition,
  )
  await setStatus({ ...pool, status: { ...pool.status, conditions } })
  expect((await rollout('status', 'general', '--watch')).code).toBe(0)
})

test('pause writes one annotation and resume removes it, leaving others alone', async () => {
  const body = { metadata: { annotations: { team: 'shop' } } }
  await world.client.patch(nodePools, { name: 'general' }, { kind: 'merge', body })
  const paused = await rollout('pause', 'general', '--until', '2099-01-01T00:00:00Z')
  expect(paused).toMatchObject({
    code: 0,
    stdout: 'nodepool/general: no voluntary disruption until 2099-01-01T00:00:00Z\n',
  })
  expect(await annotations()).toEqual({ team: 'shop', 'joinery.dev/pause-until': '2099-01-01T00:00:00Z' })
  expect((await rollout('resume', 'nodepool/general')).stdout).toBe('nodepool/general: resumed\n')
  expect(await annotations()).toEqual({ team: 'shop' })
  expect((await rollout('resume', 'general')).stdout).toContain('nothing changed')
})

test('resume says what else pauses the nodes', async () => {
  const until = { metadata: { annotations: { 'joinery.dev/pause-until': '2099-01-01T00:00:00Z' } } }
  await world.client.patch(nodePools, { name: 'general' }, { kind: 'merge', body: until })
  const { template } = (await world.client.get(nodePools, { name: 'general' })).spec
  const { name } = template.spec.nodeClassRef
  await createClass(name, until.metadata.annotations)
  const stillBy = (by: string) => `; ${by} still pauses its nodes until 2099-01-01T00:00:00Z\n`
  expect((await rollout('resume', 'general')).stdout).toBe(
    `nodepool/general: resumed${stillBy(`EC2NodeClass/${name}`)}`,
  )
  await world.client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful' },
    spec: { nodePoolSelector: { names: ['general'] }, pausedUntil: '2099-01-01T00:00:00Z' },
  })
  expect((await rollout('resume', `ec2nodeclass/${name}`)).stdout).toBe(
    `ec2nodeclass/${name}: resumed${stillBy('RolloutPolicy/careful')}`,
  )
})

test('a dry run writes nothing and prints the kubectl command', async () => {
  const { code, stdout } = await rollout('approve', 'general', '--dry-run')
  expect(code).toBe(0)
  expect(stdout).toContain(`kubectl annotate --overwrite nodepools.karpenter.sh general joinery.dev/approve=${target}`)
  expect(await annotations()).toEqual({})
})

test('an approval is bound to the target of the status', async () => {
  const refused = await rollout('approve', 'general', '--target', '9-00000000')
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('moved on')
  const approved: unknown = JSON.parse((await rollout('approve', 'general', '-o', 'json')).stdout)
  expect(approved).toMatchObject({
    object: 'nodepool/general',
    annotation: 'joinery.dev/approve',
    value: target,
    previous: null,
  })
  expect(await annotations()).toEqual({ 'joinery.dev/approve': target })
})

test('an approval that nobody asked for is written, and it is said that nothing waits for it', async () => {
  const nobody = `nodepool/general: ${target} approved; no RolloutPolicy in mode Approve governs it`
  expect((await rollout('approve', 'general', '--dry-run')).stdout).toContain(nobody)
  const policy = await world.client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful' },
    spec: { nodePoolSelector: { names: ['general'] }, mode: 'Automatic' },
  })
  expect((await rollout('approve', 'general', '--dry-run')).stdout).toContain(nobody)
  await world.client.update(rolloutPolicies, { ...policy, spec: { ...policy.spec, mode: 'Approve' } })
  expect((await rollout('approve', 'general')).stdout).toBe(`nodepool/general: ${target} approved\n`)
})

test('the writer is on record as this command', async () => {
  await rollout('approve', 'general')
  const { managedFields = [] } = (await world.client.get(nodePools, { name: 'general' })).metadata
  expect(JSON.stringify(managedFields)).toContain('"manager":"joinery-rollout"')
})

test('every subcommand takes kind and name as two words, as kubectl does', async () => {
  const pool = ['nodepool', 'general']
  expect(await rollout('status', ...pool)).toEqual(await rollout('status', 'general'))
  expect(await rollout('history', ...pool)).toEqual(await rollout('history', 'general'))
  for (const [args, annotation] of [
    [['pause', ...pool, '--for', '2h'], 'joinery.dev/pause-until'],
    [['approve', ...pool], 'joinery.dev/approve'],
    [['restart', ...pool], 'joinery.dev/restart-at'],
    [['retire', ...pool, '--yes'], 'joinery.dev/retire'],
  ] as const) {
    expect((await rollout(...args)).code, args[0]).toBe(0)
    expect(Object.keys(await annotations()), args[0]).toContain(annotation)
  }
  expect((await rollout('resume', ...pool)).stdout).toContain('nodepool/general: resumed')
  expect(await annotations()).not.toHaveProperty('joinery.dev/pause-until')
  expect((await rollout('undo', 'ec2nodeclass', 'linux')).stderr).toBe(
    'there is no EC2NodeClass linux in the cluster\n',
  )
})

test('retire wants the name typed, or --yes', async () => {
  const kubeconfig = ['--kubeconfig', world.kubeconfig]
  const wrong = await runCommand(['rollout', 'retire', 'general', ...kubeconfig], { stdin: 'yes\n' })
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('was not confirmed') })
  expect(await annotations()).toEqual({})
  expect(await runCommand(['rollout', 'retire', 'general', ...kubeconfig], { stdin: 'general\n' })).toMatchObject({
    code: 0,
  })
  expect(await annotations()).toEqual({ 'joinery.dev/retire': 'general' })
  expect((await rollout('retire', 'general', '--cancel')).code).toBe(0)
  expect(await annotations()).toEqual({})
  expect((await rollout('retire', 'general', '--yes')).code).toBe(0)
  expect(await annotations()).toEqual({ 'joinery.dev/retire': 'general' })
})

test('the history of a class is its sets of images, newest first, with the one in use marked', async () => {
  const nodeClass = await createClass('linux')
  const revision = (number: number) => ({
    revision: number,
    images: [{ id: `ami-${number}`, name: `al2023-${number}` }],
    firstSeen: '2026-01-01T00:00:00Z',
    outcome: 'good' as const,
  })
  await world.client.update(
    ec2NodeClasses,
    {
      ...nodeClass,
      status: { imageHistory: [revision(1), revision(2)], amis: [{ id: 'ami-2', name: 'al2023-2', requirements: [] }] },
    },
    { subresource: 'status' },
  )
  const { stdout } = await rollout('history', 'ec2nodeclass/linux')
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    '2         good     2026-01-01T00:00:00Z  ami-2 (al2023-2) <- in use',
    '1         good     2026-01-01T00:00:00Z  ami-1 (al2023-1)',
  ])
  expect((await rollout('undo', 'ec2nodeclass/linux')).stdout).toContain('back to revision 1')
})

test('the history of a pool is that of the policy that selects it, also before the operator has said so', async () => {
  expect((await rollout('history', 'general')).stdout).toContain('no RolloutPolicy governs nodepool/general')
  const policy = await world.client.create(rolloutPolicies, {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful' },
    spec: { nodePoolSelector: { names: ['general'] } },
  })
  expect((await rollout('history', 'general')).stdout).toContain(
    'no rollout of nodepool/general under rolloutpolicy/careful has ended yet',
  )
  const ended = { revision: '1-2', outcome: 'Completed' as const, startTime: '2026-01-01T00:00:00Z', totalNodes: 3 }
  await world.client.update(rolloutPolicies, { ...policy, status: { history: [ended] } }, { subresource: 'status' })
  expect((await rollout('history', 'general')).stdout).toContain('1-2')
})

test.each([
  ['pause', 'nodepool, ec2nodeclass or rolloutpolicy'],
  ['restart', 'nodepool or ec2nodeclass\n'],
  ['approve', 'nodepool or ec2nodeclass\n'],
  ['undo', 'object                        ec2nodeclass/NAME\n'],
  ['undo', 'its name, where only its kind stands before it: KIND NAME\n'],
])('the help of %s names the kinds that it takes', async (command, says) => {
  expect((await rollout(command, '--help')).stdout.replaceAll(/\n {32}/g, ' ')).toContain(says)
})

test.each([
  [['status', 'nodepool/other'], 1, 'there is no NodePool other in the cluster; there is general'],
  [['pause', 'general'], 2, 'a pause ends by itself'],
  [['pause', 'general', '--for', '1'], 2, '--for'],
  [['approve', 'pod/x'], 2, 'nodepool/NAME'],
  [['status', 'general', '--timeout', '1s'], 2, '--timeout goes with --watch'],
  [['status', '--watch', '--timeout', 'x'], 2, 'expected a duration'],
  [['undo', 'general'], 1, 'joinery rollout undo ec2nodeclass/default'],
  [['undo', 'ec2nodeclass/x', '--to-revision', '0'], 2, 'expected a whole number, 1 or more'],
  [['undo', 'ec2nodeclass/x', '--to-revision', '1', '--cancel'], 2, '--to-revision or --cancel, not both'],
  [['restart'], 2, "missing required argument 'object'"],
] as const)('%j ends with %i and says why', async (args, code, says) => {
  const result = await rollout(...args)
  expect(result.code).toBe(code)
  expect(result.stderr).toContain(says)
})
