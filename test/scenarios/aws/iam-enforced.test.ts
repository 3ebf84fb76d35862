import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AWSClients, Call } from '../../../src/cloud/aws/clients.ts'
import type { EmbeddedCluster } from '../../../src/embedded/index.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { aDeployment, aFleet, anEmbeddedOperator, type EmbeddedOperator } from '../../support/embedded-operator.ts'
import { type IAMRequest, isAllowed, type Statement, statementsOf } from '../../support/iam/policy.ts'
import { requestsOf, type Scope } from '../../support/iam/requests.ts'

const text = readFileSync(new URL('../../../manifests/iam/controller-policy.json', import.meta.url), 'utf8')
const minute = 60_000

/** The simulated account under the shipped policy: what it does not allow is refused, as AWS refuses it. */
class GuardedAccount {
  readonly asked: IAMRequest[] = []
  readonly refused: IAMRequest[] = []
  statements: readonly Statement[] = []

  guard(cluster: EmbeddedCluster): AWSClients {
    const { clients, account } = cluster.aws
    const scope: Scope = {
      account,
      accountID: '123456789012',
      clusterName: cluster.clusterName,
      nodeRole: cluster.nodeRole,
      queue: cluster.interruptionQueue,
    }
    this.statements = statementsOf(text, {
      AWS_PARTITION: 'aws',
      AWS_REGION: clients.region,
      AWS_ACCOUNT_ID: scope.accountID,
      CLUSTER_NAME: scope.clusterName,
      NODE_ROLE: scope.nodeRole,
      INTERRUPTION_QUEUE: scope.queue,
    })
    const guarded = Object.entries(clients).map(([service, calls]) =>
      typeof calls === 'string' ? [service, calls] : [service, this.#guardService(service, calls, scope)],
    )
    return Object.fromEntries(guarded) as AWSClients
  }

  #guardService(service: string, calls: object, scope: Scope): object {
    const entries = Object.entries(calls) as [string, Call<object, object>][]
    return Object.fromEntries(
      entries.map(([method, call]): [string, Call<object, object>] => [
        method,
        async (input, options) => {
          for (const request of requestsOf(service, method, input, scope)) this.#check(request)
          return call(input, options)
        },
      ]),
    )
  }

  #check(request: IAMRequest): void {
    this.asked.push(request)
    if (isAllowed(this.statements, request)) return
    this.refused.push(request)
    const message = `not authorized to perform ${request.action} on ${request.resource}`
    throw Object.assign(new Error(message), { name: 'UnauthorizedOperation', $fault: 'client' })
  }
}

const guarded = new GuardedAccount()
let world: EmbeddedOperator

async function everyPodRuns(count: number): Promise<boolean> {
  const { items } = await world.cluster.client.list(pods, { namespace: 'default' })
  return items.length === count && items.every(({ status }) => status?.phase === 'Running')
}

beforeAll(async () => {
  world = await anEmbeddedOperator({}, (cluster) => guarded.guard(cluster))
  const { client, clock } = world.cluster
  await aFleet(world.cluster, ['on-demand', 'spot'])
  await clock.run({ forMs: minute })
  await aDeployment(world.cluster, 10)
  await clock.run({ forMs: 5 * minute })
  expect(await everyPodRuns(10)).toBe(true)
  // Everything goes: instances, launch templates, instance profiles.
  await client.delete(deployments, { namespace: 'default', name: 'web' })
  await client.delete(nodePools, { name: 'default' })
  await clock.run({ forMs: 5 * minute })
  await client.delete(ec2NodeClasses, { name: 'default' })
  // Instance profiles are looked over every half hour.
  await clock.run({ forMs: 40 * minute })
}, 120_000)

afterAll(() => world.stop())

test('a fleet that comes and goes needs nothing that the shipped policy does not allow', async () => {
  expect(guarded.refused).toEqual([])
  expect((await world.cluster.client.list(nodeClaims)).items).toEqual([])
  expect(world.cluster.aws.account.state.launchTemplates).toEqual([])
})

test('no statement of it could be left out', () => {
  const needless = guarded.statements
    .filter((left) =>
      guarded.asked.every((request) =>
        isAllowed(
          guarded.statements.filter((each) => each !== left),
          request,
        ),
      ),
    )
    .map(({ Sid }) => Sid)
  expect(needless).toEqual([])
})

test('what carries no tags of the cluster is out of reach', () => {
  const instance = guarded.asked.find(({ action }) => action === 'ec2:TerminateInstances')
  expect(instance).toBeDefined()
  const { resource = '' } = instance ?? {}
  for (const action of ['ec2:TerminateInstances', 'ec2:CreateTags']) {
    expect(isAllowed(guarded.statements, { action, resource, keys: {} })).toBe(false)
    const foreign = {
      'aws:ResourceTag/kubernetes.io/cluster/other': 'owned',
      'aws:ResourceTag/karpenter.sh/nodepool': 'default',
    }
    expect(isAllowed(guarded.statements, { action, resource, keys: foreign })).toBe(false)
  }
})
