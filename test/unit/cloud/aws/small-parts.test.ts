import { describe, expect, test } from 'vitest'
import { canonicalText, hash64 } from '../../../../src/cloud/aws/canonical.ts'
import {
  causeChainText,
  isDryRunSuccess,
  isInstanceProfileMissing,
  isLaunchTemplateNotFound,
  isNotFound,
  isRateLimited,
  isRoleMissing,
  isServerFault,
  isUnauthorized,
  isUserDataTooLarge,
} from '../../../../src/cloud/aws/errors.ts'
import { legacyProfileName } from '../../../../src/cloud/aws/instance-profile/instance-profile-names.ts'
import { toLaunchFailure } from '../../../../src/cloud/aws/launch-errors.ts'
import { readPages } from '../../../../src/cloud/aws/paginate.ts'
import { CallObserver } from '../../../../src/cloud/aws/sdk/call-observer.ts'
import { toCall } from '../../../../src/cloud/aws/sdk/invoke.ts'
import { RateLimits } from '../../../../src/cloud/aws/sdk/rate-limits.ts'
import { bindsDirectoriesItself } from '../../../../src/cloud/aws/userdata/bottlerocket-version.ts'
import { kubeletFlags } from '../../../../src/cloud/aws/userdata/kubelet-flags.ts'
import { bootstrapLabels, bootstrapTaints } from '../../../../src/cloud/aws/userdata/node-labels.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { AWSError } from '../../../../src/embedded/aws/errors.ts'
import { MetricCounts } from '../../../support/controller-world.ts'

describe('error classes', () => {
  const error = (name: string, message = '', code = name, status = 400) => new AWSError(name, message, { code, status })
  test.each([
    ['isNotFound', isNotFound, error('InvalidInstanceID.NotFound')],
    ['isNotFound', isNotFound, error('NoSuchEntityException', '', 'NoSuchEntity')],
    ['isNotFound', isNotFound, error('QueueDoesNotExist', '', 'AWS.SimpleQueueService.NonExistentQueue')],
    ['isNotFound', isNotFound, error('ParameterNotFound')],
    ['isLaunchTemplateNotFound', isLaunchTemplateNotFound, error('InvalidLaunchTemplateName.NotFoundException')],
    ['isDryRunSuccess', isDryRunSuccess, error('DryRunOperation')],
    ['isUnauthorized', isUnauthorized, error('UnauthorizedOperation')],
    ['isRateLimited', isRateLimited, error('RequestLimitExceeded')],
    ['isServerFault', isServerFault, error('InternalError', '', 'InternalError', 500)],
    ['isServerFault', isServerFault, { $response: { statusCode: 503 } }],
    [
      'isInstanceProfileMissing',
      isInstanceProfileMissing,
      error('InvalidParameterValue', 'x Invalid IAM Instance Profile name y'),
    ],
    [
      'isRoleMissing',
      isRoleMissing,
      error('NoSuchEntityException', 'The role with name r cannot be found.', 'NoSuchEntity'),
    ],
    ['isRoleMissing', isRoleMissing, error('NoSuchEntityException', 'Role r not found', 'NoSuchEntity')],
    [
      'isUserDataTooLarge',
      isUserDataTooLarge,
      error('InvalidUserData.Malformed', 'User data is limited to 16384 bytes'),
    ],
  ])('%s recognises its own', (_name, classify, failure) => {
    expect(classify(failure)).toBe(true)
    expect(classify(error('SomethingElse', 'else'))).toBe(false)
    expect(classify(undefined)).toBe(false)
  })

  test.each([
    ['isUserDataTooLarge', isUserDataTooLarge, error('InvalidUserData.Malformed', 'Invalid BASE64 encoding')],
    ['isUserDataTooLarge', isUserDataTooLarge, error('InvalidParameterValue', 'User data is limited to 16384 bytes')],
    ['isRoleMissing', isRoleMissing, error('NoSuchEntityException', 'Instance Profile p not found', 'NoSuchEntity')],
    ['isRoleMissing', isRoleMissing, error('AccessDenied', 'arn:aws:sts::1:assumed-role/joinery is not authorized')],
    ['isInstanceProfileMissing', isInstanceProfileMissing, error('InvalidParameterValue', 'Invalid subnet')],
    ['isInstanceProfileMissing', isInstanceProfileMissing, error('Other', 'Invalid IAM Instance Profile name')],
  ])('%s wants both the code and the words', (_name, classify, failure) => {
    expect(classify(failure)).toBe(false)
  })

  const rows: readonly [text: string, reason: string][] = [
    ['AuthFailure.ServiceLinkedRoleCreationNotPermitted: x', 'SpotSLRCreationFailed'],
    ['UnauthorizedOperation: with an explicit deny in a permissions boundary', 'Unauthorized'],
    ['AuthFailure: Not authorized for images: [ami-1]', 'AMIAuthorizationFailure'],
    ['AccessDenied: no', 'Unauthorized'],
    ['InvalidParameter: Security group and subnet belong to different networks', 'SecurityGroupSubnetVPCMismatch'],
    ['InvalidParameterValue: iamInstanceProfile.name is invalid', 'InstanceProfileNameInvalid'],
    ['InvalidLaunchTemplateId.NotFound: x', 'LaunchTemplateNotFound'],
    ['InvalidUserData.Malformed: User data is limited to 16384 bytes', 'UserDataSizeLimitExceeded'],
    ['InvalidAMIID.Malformed: x', 'InvalidAMIID'],
    ['InvalidAMIID.NotFound: x', 'AMINotFound'],
    ['RequestLimitExceeded: x', 'RequestLimitExceeded'],
    ['InternalError: x', 'InternalError'],
    ['InvalidParameterCombination: not eligible for Free Tier', 'FreeTierIneligible'],
    ['MaxFleetCountExceeded: x', 'FleetQuotaExceeded'],
    ['PendingVerification: x', 'AccountPendingVerification'],
    ['MaxSpotInstanceCountExceeded: x', 'SpotQuotaExceeded'],
    ['VcpuLimitExceeded: x', 'VCPULimitExceeded'],
    ['InsufficientFreeAddressesInSubnet: x', 'InsufficientFreeAddressesInSubnet'],
    ['whatever', 'LaunchFailed'],
  ]
  test.each(rows)('%s gives reason %s', (text, reason) => {
    expect(toLaunchFailure(text).reason).toBe(reason)
  })

  test('boundaries and service control policies have messages of their own', () => {
    const message = (deny: string) =>
      toLaunchFailure(`UnauthorizedOperation: with an explicit deny in a ${deny}`).message
    expect(message('permissions boundary')).toBe(
      'User is not authorized to perform this operation due to a permission boundary',
    )
    expect(message('service control policy')).toBe(
      'User is not authorized to perform this operation due to a service control policy',
    )
  })

  test('the text of an error holds those of its causes', () => {
    expect(causeChainText(new Error('outer', { cause: error('Code', 'inner') }))).toBe('outer, Code: inner')
  })
})

test('canonical texts do not depend on order', () => {
  const text = canonicalText({ b: [3, 1], a: { y: 1, x: undefined } })
  expect(text).toBe(canonicalText({ a: { y: 1 }, b: [1, 3] }))
  expect(text).not.toBe(canonicalText({ a: { y: 2 }, b: [1, 3] }))
  expect(hash64(text)).toMatch(/^\d{1,20}$/)
})

test('pages are read until there is no token', async () => {
  const pages = [{ items: [1], NextToken: 'a' }, { items: [2] }]
  const tokens: unknown[] = []
  const items = await readPages(
    (token) => {
      tokens.push(token)
      return Promise.resolve(pages[tokens.length - 1] ?? {})
    },
    (page: { items?: number[]; NextToken?: string }) => page.items,
  )
  expect([items, tokens]).toEqual([
    [1, 2],
    [{}, { NextToken: 'a' }],
  ])
})

test('a list whose pages do not end is given up, at once where a page names itself as the next', async () => {
  let asked = 0
  const read = (nextToken: () => string) =>
    readPages(
      () => {
        asked += 1
        return Promise.resolve({ NextToken: nextToken() })
      },
      () => [],
      30,
    )
  await expect(read(() => `page ${asked}`)).rejects.toThrow('gave up after 30 pages')
  expect(asked).toBe(30)
  asked = 0
  await expect(read(() => 'again')).rejects.toThrow('gave up: a page names itself as the next')
  expect(asked).toBe(2)
})

test('the legacy profile name is the published hash', () => {
  expect(legacyProfileName('demo', 'us-west-2', 'default')).toBe('demo_4067990795380418201')
  expect(legacyProfileName('a/b', 'us-west-2', 'default')).toBeUndefined()
})

describe('bootstrap values', () => {
  test('labels that NodeRestriction refuses are left out', () => {
    const labels = {
      team: 'core',
      'kubernetes.io/os': 'linux',
      'node.kubernetes.io/instance-type': 'm5.large',
      'node-restriction.kubernetes.io/x': 'y',
      'topology.k8s.io/x': 'y',
      'karpenter.k8s.aws/instance-cpu': '2',
      'notkubernetes.io/x': 'y',
    }
    expect(bootstrapLabels(labels, 'spot', 'AL2')).toEqual({
      team: 'core',
      'karpenter.k8s.aws/instance-cpu': '2',
      'notkubernetes.io/x': 'y',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/do-not-sync-taints': 'true',
    })
    expect(bootstrapLabels({}, 'spot', 'Custom')).toEqual({ 'karpenter.sh/capacity-type': 'spot' })
  })

  test('taints come in order, the unregistered one last unless it is there', () => {
    const a = { key: 'a', effect: 'NoSchedule' as const }
    const b = { key: 'b', effect: 'NoSchedule' as const }
    const unregistered = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const }
    expect(bootstrapTaints({ taints: [a], startupTaints: [b] })).toEqual([a, b, unregistered])
    expect(bootstrapTaints({ taints: [unregistered, a] })).toEqual([unregistered, a])
  })

  test("kubelet flags come in Karpenter's order, durations in Go's spelling", () => {
    const flags = kubeletFlags({
      labels: { b: '2', a: '1' },
      taints: [
        { key: 'k', value: 'v', effect: 'NoSchedule' },
        { key: 'k', effect: 'NoExecute' },
      ],
      kubelet: {
        cpuCFSQuota: false,
        imageGCLowThresholdPercent: 70,
        imageGCHighThresholdPercent: 80,
        evictionMaxPodGracePeriod: 60,
        evictionSoftGracePeriod: { 'nodefs.available': '2h', 'memory.available': '90s' },
        evictionSoft: { 'memory.available': '5%', 'nodefs.available': '10%' },
        evictionHard: { 'memory.available': '100Mi' },
        kubeReserved: { memory: '1Gi', cpu: '1' },
        systemReserved: { cpu: '100m' },
        podsPerCore: 4,
        maxPods: 20,
      },
    })
    expect(flags.join(' ')).toBe(
      '--node-labels="a=1,b=2" --register-with-taints="k=v:NoSchedule,k:NoExecute" --max-pods=20 --pods-per-core=4 ' +
        '--system-reserved="cpu=100m" --kube-reserved="cpu=1,memory=1Gi" --eviction-hard="memory.available<100Mi" ' +
        '--eviction-soft="memory.available<5%,nodefs.available<10%" ' +
        '--eviction-soft-grace-period="memory.available=1m30s,nodefs.available=2h0m0s" --eviction-max-pod-grace-period=60 ' +
        '--image-gc-high-threshold=80 --image-gc-low-threshold=70 --cpu-cfs-quota=false',
    )
  })

  const spec = (amiSelectorTerms: object[]) => ({
    amiSelectorTerms,
    subnetSelectorTerms: [],
    securityGroupSelectorTerms: [],
  })
  const ami = (name: string) => ({ id: 'ami-1', name, requirements: [] })
  test.each([
    ['an alias that follows', [{ alias: 'bottlerocket@latest' }], [], true],
    ['1.46.0', [{ alias: 'bottlerocket@v1.46.0' }], [], true],
    ['1.45.9', [{ alias: 'bottlerocket@1.45.9' }], [], false],
    ['2.0.0', [{ alias: 'bottlerocket@v2.0.0' }], [], true],
    ['two parts only', [{ alias: 'bottlerocket@v1.46' }], [], false],
    ['the name of a term', [{ name: 'bottlerocket-aws-k8s-1.33-x86_64-v1.47.0-9c7e' }], [], true],
    ['the image of an id', [{ id: 'ami-1' }], [ami('bottlerocket-aws-k8s-1.33-x86_64-v1.40.0-9c7e')], false],
    ['any image of the status', [{ tags: { a: 'b' } }], [ami('bottlerocket-aws-k8s-1.33-x86_64-v1.50.0-9c7e')], true],
    ['an image of another name', [{ tags: { a: 'b' } }], [ami('mine-v1.50.0')], false],
    [
      'the image of the id, not another one',
      [{ tags: { a: 'b' } }, { id: 'ami-old' }],
      [ami('bottlerocket-v1.50.0'), { ...ami('bottlerocket-v1.45.0'), id: 'ami-old' }],
      false,
    ],
    ['a version that is no number', [{ name: 'bottlerocket-v1.x.0' }], [], false],
    ['a version of two parts', [{ name: 'bottlerocket-v1.50' }], [], false],
  ])('Bottlerocket finds its directories itself from 1.46.0 on: %s', (_name, terms, amis, want) => {
    expect(bindsDirectoriesItself(spec(terms), amis)).toBe(want)
  })
})

describe('calls to AWS', () => {
  const invoker = (clock: VirtualClock, counts: MetricCounts) => ({
    clock,
    limits: new RateLimits(),
    observer: new CallObserver(counts),
  })

  test("stay below EC2's rate: a burst goes out at once, the rest at the bucket's pace", async () => {
    const clock = new VirtualClock()
    const sent: number[] = []
    const call = toCall(invoker(clock, new MetricCounts()), {
      service: 'ec2',
      action: 'CreateFleet',
      send: () => {
        sent.push(clock.monotonicMs())
        return Promise.resolve({ $metadata: { httpStatusCode: 200, attempts: 1 } })
      },
    })
    const all = Promise.all(Array.from({ length: 54 }, () => call({})))
    await clock.run({ forMs: 10_000 })
    await all
    expect(sent.filter((at) => at === 0)).toHaveLength(45)
    expect(sent.at(-1)).toBeGreaterThanOrEqual(2_000)
    expect(sent.at(-1)).toBeLessThan(2_010)
  })

  test('are given up after their time-out, and counted', async () => {
    const clock = new VirtualClock()
    const counts = new MetricCounts()
    const call = toCall(invoker(clock, counts), {
      service: 'iam',
      action: 'GetInstanceProfile',
      send: (_input: object, { abortSignal }) =>
        new Promise<object>((_resolve, reject) =>
          abortSignal.addEventListener('abort', () => reject(new Error('AbortError'))),
        ),
    })
    const outcome = call({}).catch((error: unknown) => error)
    await clock.run({ forMs: 61_000 })
    expect(await outcome).toMatchObject({ code: 'CallTimeout' })
    expect(
      counts.sum('aws_sdk_go_request_total', { service: 'iam', action: 'GetInstanceProfile', status_code: '0' }),
    ).toBe(1)
  })

  test('are aborted with the reason of the caller', async () => {
    const clock = new VirtualClock()
    const abort = new AbortController()
    const call = toCall(invoker(clock, new MetricCounts()), {
      service: 'sqs',
      action: 'ReceiveMessage',
      send: (_input: object, { abortSignal }) =>
        new Promise<object>((_resolve, reject) =>
          abortSignal.addEventListener('abort', () => reject(new Error('AbortError'))),
        ),
    })
    const outcome = call({}, { signal: abort.signal }).catch((error: unknown) => error)
    await clock.settle()
    abort.abort(new Error('stopping'))
    expect(await outcome).toMatchObject({ message: 'stopping' })
  })

  test('tell metrics how often they were tried', async () => {
    const clock = new VirtualClock()
    const counts = new MetricCounts()
    const call = toCall(invoker(clock, counts), {
      service: 'eks',
      action: 'DescribeCluster',
      send: () => Promise.resolve({ $metadata: { httpStatusCode: 200, attempts: 3, totalRetryDelay: 100 } }),
    })
    await call({})
    expect(counts.sum('aws_sdk_go_request_total', { service: 'eks', status_code: '200' })).toBe(1)
    expect(counts.observed('aws_sdk_go_request_retry_count', { action: 'DescribeCluster' })).toEqual([2])
  })
})
