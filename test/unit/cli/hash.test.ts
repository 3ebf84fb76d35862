import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { runCommand } from '../../support/command-run.ts'
import { publishedClass } from '../../support/published-class.ts'

/** The class whose hash is published with the CA bundle `test-ca-bundle`; the family says what no alias says. */
const nodeClass = (amiFamily: string): string =>
  stringify({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      ...publishedClass.spec,
      amiFamily,
      amiSelectorTerms: [{ id: 'ami-0123456789abcdef0' }],
      subnetSelectorTerms: [{ id: 'subnet-0123456789abcdef0' }],
      securityGroupSelectorTerms: [{ id: 'sg-0123456789abcdef0' }],
    },
  })

const hash = (stdin: string, ...args: readonly string[]) => runCommand(['hash', '-', ...args], { stdin })

test('--ca-bundle gives the hash that a cluster with that bundle stamps', async () => {
  const answer = await hash(nodeClass('Custom'), '--ca-bundle', 'test-ca-bundle')
  expect(answer).toMatchObject({ code: 0, stderr: '' })
  expect(answer.stdout).toBe('EC2NodeClass/default  11148166120438674859  v6\n')
  expect((await hash(nodeClass('Custom'))).stdout).not.toBe(answer.stdout)
})

test('--ami-family hashes as if the class named it', async () => {
  const { stdout } = await hash(nodeClass('Custom'), '--ami-family', 'AL2023')
  expect(stdout).toBe((await hash(nodeClass('AL2023'))).stdout)
  expect(stdout).not.toBe((await hash(nodeClass('Custom'))).stdout)
})

test('a status, be it that of another version, changes nothing', async () => {
  const written = nodeClass('Custom')
  expect(await hash(`${written}status: { conditions: [{ type: Ready }] }\n`)).toEqual(await hash(written))
})

test('an AMI family that does not exist is a mistake of usage', async () => {
  const { code, stdout, stderr } = await hash(nodeClass('Custom'), '--ami-family', 'Gentoo')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('--ami-family Gentoo: must be one of ')
  expect(await hash('kind: Pod', '--ami-family', 'Gentoo')).toEqual({ code, stdout, stderr })
})

test('what the API server would refuse has no hash, and is told with its place', async () => {
  const broken = nodeClass('Custom').replace('httpTokens: optional', 'httpTokens: maybe')
  const { code, stdout, stderr } = await hash(broken)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^-:\d+:\d+ EC2NodeClass\/default spec\.metadataOptions\.httpTokens: /)
})

test('a problem of the whole object is told without the name that the API server has for it', async () => {
  const { stderr } = await hash(nodeClass('Custom').replace('httpTokens: optional', 'httpTokens: maybe'))
  expect(stderr).toMatch(/^-:1:1 EC2NodeClass\/default: Invalid value: null: some validation rules were not checked/m)
})

test('a duration that the schema admits and nobody can read is told with its place', async () => {
  const pool = (expireAfter: string): string =>
    stringify({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'p' },
      spec: {
        template: {
          spec: {
            expireAfter,
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
            requirements: [],
          },
        },
      },
    })
  expect(await hash(pool('720h'))).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^NodePool\/p {2}\d+ {2}v3\n$/) as string,
    stderr: '',
  })
  const { code, stdout, stderr } = await hash(`${pool('720h')}---\n${pool('9999999999h')}`)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe('-:22:7 NodePool/p spec.template.spec.expireAfter: time: invalid duration "9999999999h"\n')
})

test('without a file there is nothing to hash, which is a mistake of usage', async () => {
  expect(await runCommand(['hash'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'error: nothing to hash: name a file, a folder, or - for standard input\n',
  })
})

test('what has no hash is passed over, be it of our groups or not', async () => {
  const others = [
    'apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: { name: o }\nspec: { requirements: [], price: "1" }\n',
    'apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: { name: c }\nspec: {}\n',
    'apiVersion: hypershift.openshift.io/v1beta1\nkind: NodePool\nmetadata: { name: h }\n',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: m }\n',
    '- { op: remove, path: /spec }\n',
  ]
  expect(await hash([...others, nodeClass('Custom')].join('---\n'))).toEqual(await hash(nodeClass('Custom')))
})

test('for programs it is a list with everything that the lines have', async () => {
  const { stdout } = await hash(nodeClass('Custom'), '--ca-bundle', 'test-ca-bundle', '-o', 'json')
  expect(JSON.parse(stdout)).toEqual([
    { kind: 'EC2NodeClass', name: 'default', hash: '11148166120438674859', hashVersion: 'v6' },
  ])
})

test('every document that cannot be hashed is told, what is no YAML among them', async () => {
  const bare = 'apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: { name: a }\n'
  const { code, stdout, stderr } = await hash(`${bare}---\nnot: [closed\n---\nkind: EC2NodeClass\n`)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.trimEnd().split('\n')).toEqual([
    '-:1:1 EC2NodeClass/a spec: Required value',
    expect.stringMatching(/^-:6:1: /),
    '-:7:1 EC2NodeClass/ apiVersion: apiVersion not set. Write apiVersion: karpenter.k8s.aws/v1 and kind: EC2NodeClass.',
  ])
})
