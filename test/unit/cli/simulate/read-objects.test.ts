import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CommandResult, runCommand } from '../../../support/command-run.ts'
import { classManifest as aClass } from '../../../support/class-manifest.ts'

const pool = (apiVersion: string, kind = 'NodePool'): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: p }\nspec: {}\n`

const doors: Record<string, (stdin: string) => Promise<CommandResult>> = {
  simulate: (stdin) => runCommand(['simulate', '-'], { stdin }),
  plan: (stdin) => runCommand(['plan', '-'], { stdin }),
  explain: (stdin) => runCommand(['explain', 'nodepool', 'p', '-f', '-'], { stdin }),
  'plan --snapshot': (stdin) => {
    const folder = mkdtempSync(join(tmpdir(), 'joinery-read-objects-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'class.yaml'), aClass)
    return runCommand(['plan', 'class.yaml', '--snapshot', '-'], { stdin, cwd: folder })
  },
}

const aPool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: p }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
`

describe('a kind of ours that no API server knows is told of, with its place', () => {
  const convert = 'Run joinery convert on the file.'
  const write = (apiVersion: string, kind: string): string => `Write apiVersion: ${apiVersion} and kind: ${kind}.`
  const cases: Record<string, [text: string, want: string]> = {
    'an older version': [
      pool('karpenter.sh/v1beta1'),
      `-:1:1 NodePool/p apiVersion: no matches for kind "NodePool" in version "karpenter.sh/v1beta1". ${convert}`,
    ],
    'a version to come': [
      pool('karpenter.sh/v2'),
      `-:1:1 NodePool/p apiVersion: no matches for kind "NodePool" in version "karpenter.sh/v2". ${write('karpenter.sh/v1', 'NodePool')}`,
    ],
    'another writing of the kind': [
      pool('karpenter.sh/v1', 'Nodepool'),
      `-:1:1 Nodepool/p apiVersion: no matches for kind "Nodepool" in version "karpenter.sh/v1". ${write('karpenter.sh/v1', 'NodePool')}`,
    ],
    'another group': [
      pool('karpenter.sh/v1', 'EC2NodeClass'),
      `-:1:1 EC2NodeClass/p apiVersion: no matches for kind "EC2NodeClass" in version "karpenter.sh/v1". ${write('karpenter.k8s.aws/v1', 'EC2NodeClass')}`,
    ],
    'no version': [
      'kind: NodePool\nmetadata: { name: p }\n',
      `-:1:1 NodePool/p apiVersion: apiVersion not set. ${write('karpenter.sh/v1', 'NodePool')}`,
    ],
    'a version of a kind that we read of another group': [
      pool('autoscaling.x-k8s.io/v1alpha1', 'CapacityBuffer'),
      `-:1:1 CapacityBuffer/p apiVersion: no matches for kind "CapacityBuffer" in version "autoscaling.x-k8s.io/v1alpha1". ${write('autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer')}`,
    ],
    'a catalogue of another version': [
      pool('joinery.dev/v1', 'InstanceTypeCatalog'),
      `-:1:1 InstanceTypeCatalog/p apiVersion: no matches for kind "InstanceTypeCatalog" in version "joinery.dev/v1". ${write('joinery.dev/v1alpha1', 'InstanceTypeCatalog')}`,
    ],
    'in a list': [
      'apiVersion: v1\nkind: List\nitems:\n  - apiVersion: karpenter.sh/v1beta1\n    kind: NodeClaim\n    metadata: { name: p }\n',
      `-:4:5 NodeClaim/p apiVersion: no matches for kind "NodeClaim" in version "karpenter.sh/v1beta1". ${convert}`,
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [text, want]) => {
    for (const door of Object.values(doors)) {
      expect(await door(text)).toEqual({ code: 1, stdout: '', stderr: `${want}\n` })
    }
  })

  test('of foreign groups nothing is asked', async () => {
    const foreign = pool('karpenter.azure.com/v1beta1', 'AKSNodeClass') + '---\n' + pool('example.com/v1')
    expect(await runCommand(['simulate', '-'], { stdin: `${foreign}---\n${aClass}` })).toMatchObject({
      code: 0,
      stderr: '',
    })
  })
})

describe('what an API server would refuse of the metadata of a kind of ours is told of, with its place', () => {
  const cases: Record<string, [metadata: string, want: string]> = {
    'a name that YAML reads as something else': [
      '{ name: n }',
      '-:3:13 NodePool/ metadata.name: Invalid value: "boolean": metadata.name in body must be of type string: "boolean"',
    ],
    'no name': ['{ labels: {} }', '-:3:1 NodePool/ metadata.name: Required value: name or generateName is required'],
    'a label that is a number': [
      '{ name: p, labels: { a: 5 } }',
      '-:3:32 NodePool/p metadata.labels.a: Invalid value: "integer": metadata.labels.a in body must be of type string: "integer"',
    ],
  }
  const hash = (stdin: string): Promise<CommandResult> => runCommand(['hash', '-'], { stdin })
  test.each(Object.entries(cases))('%s', async (_name, [metadata, want]) => {
    const text = aPool.replace('{ name: p }', metadata)
    for (const door of [...Object.values(doors), hash]) {
      expect(await door(text)).toEqual({ code: 1, stdout: '', stderr: `${want}\n` })
    }
  })
})

describe('core objects are decoded as an API server would', () => {
  const pod = (spec: string, metadata = ''): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: { name: p${metadata} }\nspec:\n  containers: [{ name: c, image: x }]\n${spec}`
  const run = (stdin: string) => runCommand(['simulate', '-', '--disrupt', '--expand'], { stdin })

  const empty: Record<string, string> = {
    'init containers': pod('  initContainers:\n'),
    'volumes, and what one is': pod('  volumes: [{ name: a, persistentVolumeClaim: null }]\n  tolerations:\n'),
    'what a manifest has before it was created': pod(
      '',
      ', creationTimestamp: null, labels: null, annotations: { a: null }',
    ),
    'a selector': 'apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: { name: p }\nspec: { selector: null }\n',
    'all that is wanted of a node': 'apiVersion: v1\nkind: Node\nmetadata: { name: a }\nspec:\n',
    replicas:
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: d }\nspec: { replicas: null, template: { spec: { containers: [{ name: c }] } } }\n',
  }
  test.each(Object.entries(empty))('a field that is null is one that is left out: %s', async (_name, text) => {
    expect(await run(text)).toMatchObject({ code: 0, stderr: '' })
  })

  test('so is one of the metadata of a kind of ours', async () => {
    const snapshot = `${aPool}---\n${aClass.replace('name: default', 'name: default, annotations: null')}`
    expect(await doors['plan --snapshot']?.(snapshot)).toMatchObject({ code: 0, stderr: '' })
  })

  test('an amount that is null is none, as what a chart renders without its value', async () => {
    const requests = 'containers: [{ name: c, resources: { requests: { cpu: 1, memory: }, limits: { memory: null } } }]'
    const asking = pod('').replace('containers: [{ name: c, image: x }]', requests)
    expect(await run(asking)).toMatchObject({ code: 0, stderr: '' })
  })

  const wrong: Record<string, [text: string, want: string]> = {
    'a number for a list': [pod('  volumes: 5\n'), '-:6:3 Pod/p spec.volumes: Invalid value: 5: must be of type array'],
    'nothing in a list of things': [
      pod('  volumes:\n    -\n'),
      '-:7:6 Pod/p spec.volumes[0]: Invalid value: null: must be of type object',
    ],
    'a list for a mapping': [
      pod('  affinity: []\n'),
      '-:6:3 Pod/p spec.affinity: Invalid value: "array": must be of type object',
    ],
    'a boolean for a text': [
      pod('  nodeSelector: { a: true }\n'),
      '-:6:19 Pod/p spec.nodeSelector.a: Invalid value: true: must be of type string',
    ],
    'a text for a number': [
      'apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: p }\nvalue: "1"\n',
      '-:4:1 PriorityClass/p value: Invalid value: "1": must be of type number',
    ],
    'a claim template of nothing': [
      'apiVersion: apps/v1\nkind: StatefulSet\nmetadata: { name: p }\nspec:\n  volumeClaimTemplates: [{ metadata: { name: a } }]\n  template: { spec: { containers: [{ name: c }] } }\n',
      '-:5:26 StatefulSet/p spec.volumeClaimTemplates[0].spec: Required value',
    ],
    'a topology without its key': [
      'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: { name: p }\nprovisioner: a\nallowedTopologies: [{ matchLabelExpressions: [{ values: [a] }] }]\n',
      '-:5:47 StorageClass/p allowedTopologies[0].matchLabelExpressions[0].key: Required value',
    ],
    'a term of nothing': [
      pod('  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] } }\n'),
      '-:6:81 Pod/p spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference: Required value',
    ],
    'a version that is no text': [
      pod('').replace('apiVersion: v1', 'apiVersion: 1'),
      '-:1:1 Pod/p apiVersion: Invalid value: 1: must be of type string',
    ],
  }
  test.each(Object.entries(wrong))(
    'what an API server would refuse is told of, with its place: %s',
    async (_name, [text, want]) => {
      expect(await run(text)).toEqual({ code: 1, stdout: '', stderr: `${want}\n` })
    },
  )
})

test('a misspelt field of a catalogue is told of with its place, by whatever reads one', async () => {
  const stdin = `apiVersion: joinery.dev/v1alpha1
kind: InstanceTypeCatalog
metadata: { name: lab }
a/b: 1
instanceTypes:
  - name: x.large
    capacity: { cpu: '2' }
    offerings:
      - { price: 1, requirements: [], avialable: false }
`
  const unknown = [
    '4:1 InstanceTypeCatalog/lab [a/b]',
    '9:39 InstanceTypeCatalog/lab instanceTypes[0].offerings[0].avialable',
  ]
  const lines = unknown.map((place) => `-:${place}: unknown field`)
  for (const door of [doors['simulate'], doors['plan'], doors['explain']]) {
    expect(await door?.(stdin)).toEqual({ code: 1, stdout: '', stderr: `${lines.join('\n')}\n` })
  }
  const { code, stdout } = await runCommand(['validate', '-f', '-'], { stdin })
  expect(code).toBe(1)
  for (const line of lines) expect(stdout).toContain(line)
})

describe('what comes twice would count twice, and is told with both places', () => {
  test.each(['simulate', 'explain', 'plan --snapshot'])('%s', async (command) => {
    const answer = await doors[command]?.(`${aPool}---\n${aPool}`)
    expect(answer).toEqual({ code: 1, stdout: '', stderr: '-:10:1 NodePool/p: is already in -:1\n' })
  })

  const pod = (metadata: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata: ${metadata}\nspec: { containers: [{ name: c, image: i }] }\n`
  test('in two namespaces they are two', async () => {
    const stdin = `${pod('{ name: a }')}---\n${pod('{ name: a, namespace: shop }')}`
    expect(await runCommand(['simulate', '-'], { stdin })).toMatchObject({ code: 0, stderr: '' })
  })

  test('whatever namespace a tool has written on a kind that has none', async () => {
    const stdin = `${aPool}---\n${aPool.replace('name: p', 'name: p, namespace: shop')}`
    expect((await runCommand(['simulate', '-'], { stdin })).stderr).toContain('is already in')
  })

  test('of a cluster that is named twice the first are told, and how many follow', async () => {
    const pods = Array.from({ length: 12 }, (_, index) => pod(`{ name: p${index} }`))
    const { stderr } = await runCommand(['simulate', '-'], { stdin: [...pods, ...pods].join('---\n') })
    expect(stderr.trimEnd().split('\n').slice(-2)).toEqual(['-:106:1 Pod/p9: is already in -:46', 'and 2 more objects'])
  })
})

test('an input with nothing that is simulated is said to be one, since its answer looks like one without pods', async () => {
  const answer = { code: 0, stdout: expect.stringContaining('0 new node(s) for 0 pod(s)') as string }
  for (const stdin of ['replicas: 3\n', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n']) {
    expect(await runCommand(['simulate', '-'], { stdin })).toEqual({
      ...answer,
      stderr: 'warning: -: holds nothing that a simulation reads\n',
    })
  }
  expect(await runCommand(['simulate', '-'], { stdin: aClass })).toEqual({ ...answer, stderr: '' })
})

test('devices in a catalogue may have what a ResourceSlice has besides', async () => {
  const stdin = `apiVersion: joinery.dev/v1alpha1
kind: InstanceTypeCatalog
metadata: { name: lab }
instanceTypes:
  - name: x.large
    capacity: { cpu: '2' }
    offerings: []
    deviceTemplates:
      - driver: gpu.example.com
        devices: [{ name: gpu-0, bindsToNode: true }]
`
  expect(await runCommand(['simulate', '-'], { stdin })).toMatchObject({ code: 0, stderr: '' })
})
