import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

interface Statement {
  readonly Action: string[]
  readonly Resource: string[]
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>
}

/** What a group of actions may be done to, and under which conditions: `operator key = value`. */
interface Scope {
  readonly actions: readonly string[]
  readonly on: readonly string[]
  readonly when?: readonly string[]
}

const cluster = 'kubernetes.io/cluster/${CLUSTER_NAME}'
const requested = [
  `StringEquals aws:RequestTag/${cluster} = owned`,
  'StringEquals aws:RequestTag/eks:eks-cluster-name = ${CLUSTER_NAME}',
  'StringLike aws:RequestTag/karpenter.sh/nodepool = *',
]
const owned = [
  `StringEquals aws:ResourceTag/${cluster} = owned`,
  'StringLike aws:ResourceTag/karpenter.sh/nodepool = *',
]
const launched = ['fleet', 'instance', 'volume', 'network-interface', 'launch-template', 'spot-instances-request']
const profileOf = (tag: string) => [
  `StringEquals aws:${tag}/${cluster} = owned`,
  'StringEquals aws:' + tag + '/topology.kubernetes.io/region = ${AWS_REGION}',
  `StringLike aws:${tag}/karpenter.k8s.aws/ec2nodeclass = *`,
]

const scopes: readonly Scope[] = [
  {
    actions: ['ec2:RunInstances', 'ec2:CreateFleet'],
    on: ['image', 'snapshot', 'security-group', 'subnet', 'capacity-reservation', 'placement-group'],
  },
  { actions: ['ec2:RunInstances', 'ec2:CreateFleet'], on: ['launch-template'], when: owned },
  { actions: ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'], on: launched, when: requested },
  {
    actions: ['ec2:CreateTags'],
    on: launched,
    when: [...requested, 'StringEquals ec2:CreateAction = RunInstances,CreateFleet,CreateLaunchTemplate'],
  },
  {
    actions: ['ec2:CreateTags'],
    on: ['instance'],
    when: [...owned, 'ForAllValues:StringEquals aws:TagKeys = eks:eks-cluster-name,karpenter.sh/nodeclaim,Name'],
  },
  { actions: ['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate'], on: ['instance', 'launch-template'], when: owned },
  {
    actions: [
      'DescribeCapacityReservations',
      'DescribeImages',
      'DescribeInstances',
      'DescribeInstanceStatus',
      'DescribeInstanceTypeOfferings',
      'DescribeInstanceTypes',
      'DescribeLaunchTemplates',
      'DescribePlacementGroups',
      'DescribeSecurityGroups',
      'DescribeSpotPriceHistory',
      'DescribeSubnets',
    ].map((action) => `ec2:${action}`),
    on: ['*'],
    when: ['StringEquals aws:RequestedRegion = ${AWS_REGION}'],
  },
  { actions: ['ssm:GetParameter'], on: ['parameter/aws/service'] },
  { actions: ['pricing:GetProducts'], on: ['*'] },
  {
    actions: ['iam:PassRole'],
    on: ['role/${NODE_ROLE}'],
    when: ['StringEquals iam:PassedToService = ec2.amazonaws.com,ec2.amazonaws.com.cn'],
  },
  {
    actions: ['iam:CreateInstanceProfile', 'iam:TagInstanceProfile'],
    on: ['instance-profile'],
    when: [...profileOf('RequestTag'), 'StringEquals aws:RequestTag/eks:eks-cluster-name = ${CLUSTER_NAME}'],
  },
  {
    actions: ['iam:AddRoleToInstanceProfile', 'iam:RemoveRoleFromInstanceProfile', 'iam:DeleteInstanceProfile'],
    on: ['instance-profile'],
    when: profileOf('ResourceTag'),
  },
  { actions: ['iam:GetInstanceProfile'], on: ['instance-profile'] },
  { actions: ['iam:ListInstanceProfiles'], on: ['*'] },
  { actions: ['eks:DescribeCluster'], on: ['cluster/${CLUSTER_NAME}'] },
  { actions: ['sqs:DeleteMessage', 'sqs:GetQueueUrl', 'sqs:ReceiveMessage'], on: ['${INTERRUPTION_QUEUE}'] },
]

const shipped = (file: string): readonly Statement[] =>
  JSON.parse(readFileSync(new URL(`../../../../manifests/iam/${file}`, import.meta.url), 'utf8')).Statement

/** Each pair of an action and a resource, with the conditions under which it is granted. */
function grants(list: readonly Scope[]): readonly string[] {
  return list
    .flatMap(({ actions, on, when = [] }) =>
      actions.flatMap((action) =>
        on.map((resource) => `${action} on ${resource} if ${[...when].toSorted(byText).join(' and ')}`),
      ),
    )
    .toSorted(byText)
}

function scopeOf({ Action, Resource, Condition = {} }: Statement): Scope {
  return {
    actions: Action,
    on: Resource.map(kindOf),
    when: Object.entries(Condition).flatMap(([operator, keys]) =>
      Object.entries(keys).map(([key, value]) => `${operator} ${key} = ${[value].flat().join(',')}`),
    ),
  }
}

/** The last part of an ARN, without the wildcard that stands for all of a kind. */
function kindOf(arn: string): string {
  return arn === '*' ? arn : arn.slice(arn.lastIndexOf(':') + 1).replace(/\/\*$/, '')
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

describe("the controller's policy, statement by statement", () => {
  test('grants each action on what it has to be granted on, under the conditions it has to, and no more', () => {
    expect(grants(shipped('controller-policy.json').map(scopeOf))).toEqual(grants(scopes))
  })

  test('allows, and keeps every resource to the own region, account and partition where its ARN has them', () => {
    for (const { Effect, Resource } of shipped('controller-policy.json') as (Statement & { Effect: string })[]) {
      expect(Effect).toBe('Allow')
      for (const arn of Resource.filter((each) => each !== '*')) {
        expect(arn).toMatch(
          /^arn:\$\{AWS_PARTITION\}:(ec2|ssm|sqs|eks):\$\{AWS_REGION\}:(\*|\$\{AWS_ACCOUNT_ID\})?:|^arn:\$\{AWS_PARTITION\}:iam::\$\{AWS_ACCOUNT_ID\}:/,
        )
      }
    }
  })

  test('the queue takes messages of EventBridge of this account only, and over TLS only', () => {
    const queue = shipped('interruption-queue-policy.json').map(scopeOf)
    expect(grants(queue)).toEqual(
      grants([
        {
          actions: ['sqs:SendMessage'],
          on: ['${INTERRUPTION_QUEUE}'],
          when: ['ArnLike aws:SourceArn = arn:${AWS_PARTITION}:events:${AWS_REGION}:${AWS_ACCOUNT_ID}:rule/*'],
        },
        { actions: ['sqs:*'], on: ['${INTERRUPTION_QUEUE}'], when: ['Bool aws:SecureTransport = false'] },
      ]),
    )
  })
})
