import { expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { pods } from '../../../src/kube/kinds.ts'
import { awaitStartupChecks, servesResourceClaims, startupProblems } from '../../../src/operator/startup-checks.ts'
import { FakeKubeClient, type FakeCall } from '../../support/fake-kube-client.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const notFound = new KubeError('NotFound', 404, 'not found')
const watched = [pods, nodePools]

function world(fault: (call: FakeCall) => void) {
  const client = new FakeKubeClient()
  client.fault = fault
  const clock = new VirtualClock()
  const log = recordingLogger()
  const missing: (string | undefined)[] = []
  return { client, clock, log, watched, missing, onMissing: (problem: string | undefined) => missing.push(problem) }
}

const cases: Record<string, { fault: (call: FakeCall) => void; want: string }> = {
  'a definition that is not there': {
    fault: ({ resource }) => {
      if (resource !== 'pods') throw notFound
    },
    want: 'the CustomResourceDefinition nodepools.karpenter.sh is not installed',
  },
  'permissions that are too narrow': {
    fault: ({ resource }) => {
      if (resource === 'pods') throw new KubeError('Forbidden', 403, 'no')
    },
    want: 'the service account may not list pods',
  },
  'a server that does not answer': {
    fault: () => {
      throw new KubeError('Network', 0, 'connect ECONNREFUSED')
    },
    want: 'the API server does not answer: connect ECONNREFUSED',
  },
}
test.each(Object.entries(cases))('%s is explained', async (_name, { fault, want }) => {
  const problems = await startupProblems(world(fault))
  expect(problems).toHaveLength(1)
  expect(problems[0]?.message).toContain(want)
})

test('a definition that serves only older versions is named with what it serves', async () => {
  const checks = world(({ resource, operation }) => {
    if (resource === 'nodepools' && operation === 'list') throw notFound
  })
  const definitions = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  }
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'nodepools.karpenter.sh' },
    spec: { versions: [{ name: 'v1beta1', served: true }] },
  }
  await checks.client.create(definitions, definition)
  expect((await startupProblems(checks))[0]?.message).toContain('serves v1beta1, but v1 is needed')
})

test('starting goes on when what was missing appears, and says each problem once', async () => {
  let missing = true
  const checks = world(({ resource }) => {
    if (missing && resource === 'nodepools') throw notFound
  })
  let ready = false
  void awaitStartupChecks(checks, new AbortController().signal).then(() => {
    ready = true
  })
  await checks.clock.run({ forMs: 60_000 })
  expect(ready).toBe(false)
  expect(checks.log.lines.filter((line) => line.message === 'cannot start yet')).toHaveLength(1)
  expect(checks.missing.at(-1)).toContain('the CustomResourceDefinition nodepools.karpenter.sh is not installed')
  missing = false
  await checks.clock.run({ forMs: 10_000 })
  expect(ready).toBe(true)
  expect(checks.missing.at(-1)).toBeUndefined()
})

test('resource claims are looked at where the API server serves them, and left alone where it says no', async () => {
  const asked = async (fault: (call: FakeCall) => void) => {
    const checks = world(fault)
    const isServed = await servesResourceClaims(checks, new AbortController().signal)
    return { isServed, lines: checks.log.lines.map(({ fields }) => fields['reason']) }
  }
  expect(await asked(() => undefined)).toEqual({ isServed: true, lines: [] })
  const older = await asked(() => {
    throw notFound
  })
  expect(older).toEqual({ isServed: false, lines: ['resource.k8s.io/v1 is not served'] })
  const narrow = await asked(({ resource }) => {
    if (resource === 'deviceclasses') throw new KubeError('Forbidden', 403, 'not yours')
  })
  expect(narrow).toEqual({ isServed: false, lines: ['not yours'] })
  const shaky = await asked(() => {
    throw new KubeError('Network', 0, 'connect ECONNREFUSED')
  })
  expect(shaky).toEqual({ isServed: true, lines: [] })
})
