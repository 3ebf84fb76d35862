import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { runCommand } from '../../../support/command-run.ts'
import { aFleetCatalogue, aFleetClass, aFleetPool, aMachine } from '../../../support/fleet-objects.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-images-test-'))
  const [pool, nodeClass] = [aFleetPool(), aFleetClass()]
  const machines = ['n1', 'n2', 'n3'].flatMap((name) => aMachine(name, pool, nodeClass))
  const items = [aFleetCatalogue(), pool, nodeClass, ...machines]
  write('snapshot.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  const { apiVersion, kind, spec } = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
  write('alias.yaml', stringify({ apiVersion, kind, metadata: { name: 'default' }, spec }))
  write('images.yaml', 'default:\n  amis:\n    - id: ami-1\n')
  const arm64 = 'requirements: [{ key: kubernetes.io/arch, operator: In, values: [arm64] }]'
  write('arm64.yaml', `default:\n  amis:\n    - id: ami-1\n      ${arm64}\n`)
})

afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

/** Of another alias, on a cluster whose nodes run ami-1. */
const plan = (...args: readonly string[]) =>
  runCommand(['plan', 'alias.yaml', '--snapshot', 'snapshot.json', ...args], { cwd: folder })

test('--images tells what a changed alias finds', async () => {
  const without = await plan()
  expect(without.stdout).toContain('spec.amiSelectorTerms[0].alias: al2023@v20260601 -> al2023@v20260701')
  expect(without.stdout).toContain('3 nodes to replace, AMIDrift')
  expect((await plan('--images', 'images.yaml')).stdout).toContain('3 nodes changed in place')
  const other = await plan('--images', 'arm64.yaml')
  expect(other.stdout).toContain('3 nodes to replace, AMIDrift')
  expect(other.stdout).toContain('status.amis: ami-1 -> none for m5.large')
})

test('an images file for a class that there is not is told: the plan is as much a guess as without it', async () => {
  write('misspelt.yaml', 'defualt: {amis: [{id: ami-2}]}\ndefault: {amis: [{id: ami-2}]}\n')
  const { code, stderr } = await plan('--images', 'misspelt.yaml')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'warning: misspelt.yaml: there is no EC2NodeClass defualt in the manifests or the cluster\n',
  })
})

const wrongImages: Record<string, { readonly text: string; readonly want: string }> = {
  'has an image without an id': {
    text: 'default:\n  amis:\n    - name: x\n',
    want: 'wrong.yaml:3:7 default.amis[0].id: Required value',
  },
  'has a subnet without a zone, in which no node could be launched': {
    text: 'default:\n  subnets:\n    - id: subnet-1\n',
    want: 'wrong.yaml:3:7 default.subnets[0].zone: Required value',
  },
  'misspells a field': {
    text: 'default:\n  amis:\n    - id: ami-2\n      requirement: []\n',
    want: 'wrong.yaml:4:7 default.amis[0].requirement: unknown field',
  },
  'asks for values that are no list': {
    text: 'default:\n  amis:\n    - id: ami-2\n      requirements: [{ key: kubernetes.io/arch, operator: In, values: arm64 }]\n',
    want:
      'wrong.yaml:4:63 default.amis[0].requirements[0].values: Invalid value: "string": ' +
      'amis[0].requirements[0].values in body must be of type array: "string"',
  },
  'misspells an operator, which would be another one': {
    text: 'default:\n  amis:\n    - id: ami-2\n      requirements: [{ key: kubernetes.io/arch, operator: notIn, values: [arm64] }]\n',
    want:
      'wrong.yaml:4:49 default.amis[0].requirements[0].operator: ' +
      'must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte',
  },
  'has images that are no list': {
    text: 'default:\n  amis: ami-2\n',
    want: 'wrong.yaml:2:3 default.amis: must be a list',
  },
  'has something else of a class': {
    text: 'default:\n  amis: []\n  role: x\n',
    want: 'wrong.yaml:3:3 default.role: must be one of amis, subnets, securityGroups',
  },
  'is another file': {
    text: 'apiVersion: v1\n',
    want: 'wrong.yaml:1:1 apiVersion: must be a mapping with amis, subnets or securityGroups',
  },
  'has a class twice': {
    text: 'default: {amis: [{id: ami-1}]}\n---\ndefault: {amis: [{id: ami-2}]}\n',
    want: 'wrong.yaml:3:1 default: comes twice: only one of them would count',
  },
  'does not parse': {
    text: 'default: {}\ndefault: {}\n',
    want: 'wrong.yaml:2:1: the key default comes twice: only one of them would count',
  },
  'is empty, because what was to write it failed': {
    text: '',
    want: 'wrong.yaml: no document in it: has what was to write it failed?',
  },
}
test.each(Object.entries(wrongImages))('an images file that %s says so', async (_name, { text, want }) => {
  write('wrong.yaml', text)
  const { code, stdout, stderr } = await plan('--images', 'wrong.yaml')
  expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: `${want}\n` })
})

test('images may lie in the files of a folder, each of which counts', async () => {
  mkdirSync(join(folder, 'images'))
  write('images/a.yaml', 'another: {amis: [{id: ami-2}]}\n')
  write('images/b.yaml', 'default:\n  amis: [{id: ami-1, requirements: []}]\n')
  const { stdout, stderr } = await plan('--images', 'images')
  expect(stdout).toContain('3 nodes changed in place')
  expect(stderr).toBe('warning: images: there is no EC2NodeClass another in the manifests or the cluster\n')
})
