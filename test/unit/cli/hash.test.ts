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
  const { code, stdout, stderr } = await hash(`${pool('720h')}---\n${pool('9999999999h')}`)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe('-:22:7 NodePool/p spec.template.spec.expireAfter: time: invalid duration "9999999999h"\n')
})
