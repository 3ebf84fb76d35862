import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { type AdmissionFacts, judge, rules } from '../../../src/admission/index.ts'
import { nodePoolHash } from '../../../src/api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { userDataProblem } from '../../../src/cloud/aws/userdata/user-data-problem.ts'
import { admissionCatalogue } from '../../../src/cli/input/admission-catalogue.ts'

/*
 * The examples of the rules' pages are put into an object that is sound otherwise: the first must make the rule speak, the second, under
 * "Fix", must not.
 */

type Fields = Readonly<Record<string, unknown>>

const pages = join(import.meta.dirname, '../../../docs/rules')
const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }

function aPool(fields: Fields, name = 'a'): KubeObject {
  const { disruption, budgets, limits, weight, replicas, ...template } = fields
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ...(limits === undefined ? {} : { limits }),
      ...(weight === undefined ? {} : { weight }),
      ...(replicas === undefined ? {} : { replicas }),
      disruption: disruption ?? { consolidateAfter: '0s', ...(budgets === undefined ? {} : { budgets }) },
      template: { spec: { nodeClassRef, requirements: [], ...template } },
    },
  } as KubeObject
}

function aClass({ ebs, ...fields }: Fields): KubeObject {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      role: 'nodes',
      amiSelectorTerms: [
        { alias: fields['amiFamily'] === 'Bottlerocket' ? 'bottlerocket@1.20.0' : 'al2023@v20240625' },
      ],
      subnetSelectorTerms: [{ tags: { team: 'a' } }],
      securityGroupSelectorTerms: [{ tags: { team: 'a' } }],
      ...(ebs === undefined ? {} : { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs }] }),
      ...(needsFamily(fields) ? { amiFamily: 'AL2023' } : {}),
      ...fields,
    },
  } as KubeObject
}

/** Terms without an alias do not say it. */
function needsFamily({ amiSelectorTerms, amiFamily }: Fields): boolean {
  return (
    amiFamily === undefined && Array.isArray(amiSelectorTerms) && !JSON.stringify(amiSelectorTerms).includes('alias')
  )
}

function another(group: string, kind: string, spec: Fields): KubeObject {
  return {
    apiVersion: group,
    kind,
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec,
  } as KubeObject
}

const overlay = (fields: Fields): KubeObject =>
  another('karpenter.sh/v1alpha1', 'NodeOverlay', { requirements: [], ...fields })
const policy = (fields: Fields): KubeObject =>
  another('joinery.dev/v1alpha1', 'RolloutPolicy', { nodePoolSelector: {}, ...fields })

const classFields = ['amiFamily', 'amiSelectorTerms', 'subnetSelectorTerms', 'ebs', 'kubelet', 'tags']

/** Which kind the fields are of. */
function objectOf(fields: Fields): KubeObject {
  const names = Object.keys(fields)
  if (names.includes('windows')) return policy(fields)
  if (names.includes('capacity')) return overlay(fields)
  return names.some((name) => classFields.includes(name)) ? aClass(fields) : aPool(fields)
}

const { typesFor } = admissionCatalogue({ region: 'us-west-2' })
const catalogue = typesFor(aPool({}) as unknown as NodePool, []) ?? []

/** What the example takes for granted of the cluster. */
const circumstances: Record<
  string,
  (object: KubeObject, isFix: boolean) => { facts: AdmissionFacts; oldObject?: KubeObject }
> = {
  'JN-107': () => ({ facts: { userDataProblem } }),
  'JN-201': (_object, isFix) => ({ facts: { selectorMatches: { subnets: isFix ? 3 : 0 } } }),
  'JN-202': () => ({ facts: { catalogueOf: () => catalogue } }),
  'JN-203': () => ({ facts: { catalogueOf: () => catalogue } }),
  'JN-204': () => ({ facts: { catalogueOf: () => catalogue } }),
  'JN-211': () => ({ facts: { nodePools: [aPool({}, 'b') as unknown as NodePool] } }),
  'JN-213': () => {
    const oldObject = aPool({ expireAfter: '720h' })
    return { oldObject, facts: { nodeClaims: [aClaimOf(oldObject as unknown as NodePool)] } }
  },
  'JN-214': () => ({ facts: { nodeClasses: [aClass({}) as unknown as EC2NodeClass] } }),
  'JN-217': () => ({ facts: { catalogueOf: () => catalogue, nodeClasses: [classOfAmd64] } }),
}

const amd64 = { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }
const classOfAmd64 = {
  ...aClass({}),
  status: { amis: [{ id: 'ami-1', requirements: [amd64] }] },
} as unknown as EC2NodeClass

function aClaimOf(pool: NodePool): NodeClaim {
  const annotations = { 'karpenter.sh/nodepool-hash': hashOf(pool), 'karpenter.sh/nodepool-hash-version': 'v3' }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: 'n',
      uid: 'n',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'karpenter.sh/nodepool': 'a' },
      annotations,
    },
    spec: { nodeClassRef, requirements: [] },
  } as NodeClaim
}

function hashOf(pool: NodePool): string {
  return String(nodePoolHash(pool))
}

function examplesOf(id: string): readonly [bad: Fields, good: Fields | undefined] {
  const page = readFileSync(join(pages, `${id}.md`), 'utf8')
  const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text) as Fields | null)
  if (blocks.length !== 2 || blocks[0] === null || blocks[0] === undefined) throw new Error(`${id} needs two examples`)
  return [blocks[0], blocks[1] ?? undefined]
}

function saidBy(id: string, fields: Fields, isFix: boolean): readonly string[] {
  const object = objectOf(fields)
  const { facts, oldObject } = circumstances[id]?.(object, isFix) ?? { facts: {} }
  const { errors, warnings } = judge({
    object,
    ...(oldObject === undefined ? {} : { oldObject }),
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    rules: 'all',
    facts,
    now: Date.parse('2026-03-04T10:00:00Z'),
  })
  return [...errors, ...warnings].map(({ rule, path, message }) => (rule === id ? rule : `${rule} ${path}: ${message}`))
}

test.each(rules.map(({ id }) => id))(
  'the page of %s shows what the rule finds, and a fix that it is content with',
  (id) => {
    const [bad, good] = examplesOf(id)
    const found = new Set(saidBy(id, bad, false))
    // Nothing but the rule: an example that breaks something else explains nothing.
    expect([...found].filter((one) => !one.startsWith('JN-2') || one === id)).toEqual([id])
    // The change of JN-213 is meant; its page has nothing to correct.
    if (good !== undefined)
      expect(saidBy(id, good, true).filter((one) => !one.startsWith('JN-2') || one === id)).toEqual([])
  },
)
