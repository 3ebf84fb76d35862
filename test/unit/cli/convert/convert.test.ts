import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { runCommand } from '../../../support/command-run.ts'

const convert = (stdin: string, ...args: string[]) => runCommand(['convert', '-f', '-', ...args], { stdin })

const oldPool = `# the team's pool
apiVersion: karpenter.sh/v1beta1 # soon v1
kind: NodePool
metadata:
  name: default
spec:
  # who runs here
  template:
    spec:
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: ["spot"]} # cheap
      nodeClassRef:
        name: default
  disruption:
    # a month
    expireAfter: 720h # agreed with security
    consolidationPolicy: "WhenUnderutilized"
  limits:
    cpu: "1000"
`

const convertedPool = `# the team's pool
apiVersion: karpenter.sh/v1 # soon v1
kind: NodePool
metadata:
  name: default
spec:
  # who runs here
  template:
    spec:
      requirements:
      - {key: karpenter.sh/capacity-type, operator: In, values: ["spot"]} # cheap
      nodeClassRef:
        name: default
        group: karpenter.k8s.aws
        kind: EC2NodeClass
      # a month
      expireAfter: 720h # agreed with security
  disruption:
    consolidationPolicy: "WhenEmptyOrUnderutilized"
    consolidateAfter: 0s
  limits:
    cpu: "1000"
`

const classSelectors = `
  role: nodes
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
`

test('comments, key order, quotes and the style of lists survive', async () => {
  expect(await convert(oldPool)).toEqual({ code: 0, stdout: convertedPool, stderr: '' })
})

test.each([
  ['{ key: a.com/b, operator: In, values: [x, y] }'],
  ['{key: a.com/b, operator: In, values: [ x, y ]}'],
  ['{ key: a.com/b, operator: In, values: [ x, y ] }'],
  ['{key: a.com/b, operator: In, values: [x, y]}'],
])('spaces inside of brackets stay as they are: %s', async (line) => {
  const { stdout } = await convert(oldPool.replace(/- \{.*\} # cheap/, `- ${line}`))
  expect(stdout).toContain(`- ${line}\n`)
})

test('documents that need nothing keep their text to the byte, and their place among the others', async () => {
  const other = 'apiVersion: v1\nkind:   ConfigMap # odd\nmetadata: {name: x}\n'
  const { stdout, code } = await convert(`${other}---\n${oldPool}---\n${other}`)
  expect([code, stdout]).toEqual([0, `${other}---\n${convertedPool}---\n${other}`])
})

test('what is v1 already comes out as it went in', async () => {
  const { code, stdout, stderr } = await convert(convertedPool)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: convertedPool, stderr: '' })
})

test('a document that begins with a byte order mark is refused, for its first key is not what it looks like', async () => {
  const { code, stdout, stderr } = await convert(`\u{feff}${oldPool}---\n\u{feff}${oldPool}`)
  expect(code).toBe(1)
  expect(stderr).toMatch(/-:21:1 .*byte order mark/)
  expect(stdout).toContain(`---\n\u{feff}${oldPool}`)
})

test('items of a List are converted where they stand', async () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n  - ${oldPool.slice(oldPool.indexOf('apiVersion')).replaceAll('\n', '\n    ').trimEnd()}\n`
  const { code, stdout } = await convert(list)
  expect(code).toBe(0)
  expect(parse(stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: [parse(convertedPool)] })
  expect(stdout).toContain('# agreed with security')
})

test('items of a List in a List are, too', async () => {
  const indented = (text: string): string =>
    text.slice(text.indexOf('apiVersion')).replaceAll('\n', '\n        ').trimEnd()
  const listed = (text: string): string =>
    `apiVersion: v1\nkind: List\nitems:\n  - kind: List\n    items:\n      - ${indented(text)}\n`
  const { code, stdout } = await convert(listed(oldPool))
  expect([code, parse(stdout)]).toEqual([0, parse(listed(convertedPool))])
})

test('items of a List that are no objects stay as they are', async () => {
  const text = 'kind: List\nitems:\n- null\n- 5\n'
  expect(await convert(text)).toEqual({ code: 0, stdout: text, stderr: '' })
})

test('aliases and merge keys come out as what they stood for', async () => {
  const text = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: default}
spec:
  disruption: &slow
    consolidationPolicy: WhenUnderutilized
  template:
    metadata:
      annotations: {note: &note text}
      labels: {note: *note}
    spec: {nodeClassRef: {name: default}, requirements: []}
`
  const { code, stdout } = await convert(text)
  expect(code).toBe(0)
  expect(parse(stdout, { merge: true })).toMatchObject({
    apiVersion: 'karpenter.sh/v1',
    spec: {
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
      template: { metadata: { annotations: { note: 'text' }, labels: { note: 'text' } } },
    },
  })
  const merged = text.replace('spec: {nodeClassRef', 'spec: {<<: {taints: []}, nodeClassRef')
  const again = await convert(merged.replace('disruption: &slow\n', 'disruption:\n    <<: {expireAfter: 1h}\n'))
  expect(again.code).toBe(0)
  expect(again.stderr).toContain('written anew')
  expect(parse(again.stdout, { merge: true })).toMatchObject({ spec: { template: { spec: { expireAfter: '1h' } } } })
})

test('what stands for something that goes, or that moves behind it, is written out', async () => {
  const text = `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      kubelet: {systemReserved: {memory: &some 1Gi}, kubeReserved: &cpu {cpu: 100m, memory: *some}}
      nodeClassRef: {name: default}
      requirements: []
  disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s}
  limits: *cpu
---
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: old}
spec:
  labels: &labels {note: &note text, same: *note}
  annotations: *labels
  providerRef: {name: default}
`
  const { code, stdout, stderr } = await convert(text)
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')])
  const [pool, old] = parseAllDocuments(stdout).map((document) => document.toJS() as { spec: object })
  expect(pool?.spec).toMatchObject({ limits: { cpu: '100m', memory: '1Gi' } })
  const both = { note: 'text', same: 'text' }
  expect(old?.spec).toMatchObject({ template: { metadata: { labels: both, annotations: both } } })
})

test('what an alias stands for is written as it is converted there, not as it is converted where its anchor is', async () => {
  const { code, stdout } = await convert(`kind: List
items:
- apiVersion: karpenter.sh/v1beta1
  kind: NodePool
  metadata: {name: a}
  spec:
    template: &template {spec: {nodeClassRef: {name: default}, requirements: []}}
    disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s, expireAfter: 1h}
- apiVersion: karpenter.sh/v1beta1
  kind: NodePool
  metadata: {name: b}
  spec:
    template: *template
    disruption: {consolidationPolicy: WhenEmpty, consolidateAfter: 30s, expireAfter: 2h}
`)
  expect(code).toBe(0)
  const of = (expireAfter: string) => ({ spec: { template: { spec: { expireAfter } } } })
  expect(parse(stdout)).toMatchObject({ items: [of('1h'), of('2h')] })
})

test('JSON stays JSON', async () => {
  const { stdout } = await convert(JSON.stringify(parse(oldPool)))
  expect(JSON.parse(stdout)).toEqual(parse(convertedPool))
})

test('kubelet settings move to the class they belong to, also from another document', async () => {
  const pool = oldPool.replace('      nodeClassRef:', '      kubelet:\n        maxPods: 50\n      nodeClassRef:')
  const nodeClass = `apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata:\n  name: default\nspec:\n  amiFamily: AL2${classSelectors}`
  const both = await convert(`${pool}---\n${nodeClass}`)
  const objects = parseAllDocuments(both.stdout).map((document) => document.toJS() as { spec: object })
  expect(objects[1]?.spec).toMatchObject({ kubelet: { maxPods: 50 } })
  expect(both.code).toBe(0)
  const alone = await convert(pool)
  expect([alone.code, alone.stderr]).toEqual([0, expect.stringContaining('lost: EC2NodeClass default is not among')])
  expect((await convert(pool, '--strict')).code).toBe(1)
})

describe('examples of old articles are converted, or refused with an explanation', () => {
  const pool = (disruption: string, reference = '{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}') =>
    `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: default\nspec:\n  template:\n    spec:\n      nodeClassRef: ${reference}\n      requirements: []\n  disruption:\n${disruption}`
  const nodeClass = (spec: string) =>
    `apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata:\n  name: default\nspec:\n${spec}${classSelectors}`
  const cases: Record<string, { text: string; code: number; want?: object; says?: RegExp }> = {
    'consolidationPolicy: WhenUnderutilized under v1': {
      text: pool('    consolidationPolicy: WhenUnderutilized\n'),
      code: 0,
      want: { disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' } },
    },
    'expireAfter under disruption': {
      text: pool('    consolidateAfter: 1m\n    expireAfter: 720h\n'),
      code: 0,
      want: { disruption: { consolidateAfter: '1m' }, template: { spec: { expireAfter: '720h' } } },
    },
    'nodeClassRef with only a name': {
      text: pool('    consolidateAfter: 1m\n', '{name: default}'),
      code: 0,
      want: { template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' } } } },
    },
    'amiFamily: AL2 with no selector': {
      text: nodeClass('  amiFamily: AL2'),
      code: 0,
      want: { amiFamily: 'AL2', amiSelectorTerms: [{ alias: 'al2@latest' }] },
      says: /pin a version/,
    },
    'amiFamily: Ubuntu with no selector cannot work any more': {
      text: nodeClass('  amiFamily: Ubuntu'),
      code: 1,
      says: /Ubuntu images are no longer found by family[\s\S]*invalid: spec\.amiSelectorTerms: .* at least 1 items/,
    },
    'two tags keys in one selector term': {
      text: `apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata:\n  name: default\nspec:\n  subnetSelectorTerms:\n    - tags: {a: b}\n      tags: {c: d}\n`,
      code: 1,
      says: /^-:8:7 refused: the key tags comes twice: only one of them would count$/m,
    },
    'a Provisioner': {
      text: 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata:\n  name: default\nspec:\n  # soon\n  ttlSecondsAfterEmpty: 30\n',
      code: 0,
      want: { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '30s' } },
      says: /v1alpha5 assumed these/,
    },
  }
  test.each(Object.entries(cases))('%s', async (_name, { text, code, want, says }) => {
    const result = await convert(text)
    expect(result.code).toBe(code)
    if (want !== undefined) expect((parse(result.stdout) as { spec: object }).spec).toMatchObject(want)
    if (says !== undefined) expect(result.stderr).toMatch(says)
    else expect(result.stderr).toBe('')
  })
})

describe('files', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-convert-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('--in-place writes what changed and leaves files with an unreadable document alone', async () => {
    writeFileSync(join(folder, 'a.yaml'), oldPool)
    writeFileSync(join(folder, 'b.yaml'), `${oldPool}---\na: [\n`)
    const { code, stdout, stderr } = await runCommand(['convert', '--in-place', '.'], { cwd: folder })
    expect([code, stdout]).toEqual([1, ''])
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(convertedPool)
    expect(readFileSync(join(folder, 'b.yaml'), 'utf8')).toBe(`${oldPool}---\na: [\n`)
    expect(stderr).toContain('b.yaml: not written')
  })

  describe('kubelet settings of several clusters', () => {
    const pool = (maxPods: number) =>
      `apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {nodeClassRef: {name: d}, requirements: [], kubelet: {maxPods: ${maxPods}}}}}\n`
    const nodeClass =
      'apiVersion: karpenter.k8s.aws/v1beta1\nkind: EC2NodeClass\nmetadata: {name: d}\nspec: {amiFamily: AL2, role: r}\n'
    const write = (files: Readonly<Record<string, string>>): void => {
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(join(folder, file, '..'), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
    }
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

    test('move to the class in the same file or folder', async () => {
      write({
        'dev/all.yaml': `${pool(1)}---\n${nodeClass}`,
        'prod/class.yaml': nodeClass,
        'prod/pool.yaml': pool(2),
      })
      await runCommand(['convert', '--in-place', '.'], { cwd: folder })
      expect(read('dev/all.yaml')).toMatch(/maxPods: 1/)
      expect(read('prod/class.yaml')).toMatch(/maxPods: 2/)
      expect(read('prod/pool.yaml')).not.toMatch(/maxPods/)
    })

    test('are said to be lost where it is not known which class is meant', async () => {
      write({ 'dev/class.yaml': nodeClass, 'prod/class.yaml': nodeClass, 'pools/pool.yaml': pool(1) })
      const { stderr } = await runCommand(['convert', '--in-place', '.'], { cwd: folder })
      expect(stderr).toMatch(/pools\/pool.yaml:.* lost: EC2NodeClass d is in several other folders/)
      expect(read('dev/class.yaml')).not.toMatch(/maxPods/)
    })

    test('are said to be lost where the file of the class is not written', async () => {
      write({ 'pool.yaml': pool(1), 'class.yaml': `${nodeClass}---\na: [\n` })
      const { stderr } = await runCommand(['convert', '--in-place', '.'], { cwd: folder })
      expect(stderr).toMatch(/class.yaml: not written/)
      expect(stderr).toMatch(/pool.yaml:.* lost: EC2NodeClass d is not among the documents/)
    })
  })

  test('files are one stream of documents on stdout', async () => {
    writeFileSync(join(folder, 'a.yaml'), oldPool)
    writeFileSync(join(folder, 'b.yaml'), oldPool)
    const { stdout } = await runCommand(['convert', '.'], { cwd: folder })
    expect(stdout).toBe(`${convertedPool}---\n${convertedPool}`)
  })

  test('wrong use exits 2, a missing file 1', async () => {
    expect((await runCommand(['convert'])).code).toBe(2)
    expect((await runCommand(['convert', '--in-place', '-f', '-'])).code).toBe(2)
    expect((await runCommand(['convert', 'none.yaml'], { cwd: folder })).code).toBe(1)
  })
})
