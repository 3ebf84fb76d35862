import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { billOfMaterials } from '../../../scripts/sbom.ts'

const hash = createHash('sha512').update('an archive').digest()
const integrity = `sha512-${hash.toString('base64')}`
const locked = { version: '1.0.0', license: 'MIT', integrity }

interface Bill {
  readonly components: readonly { readonly purl: string; readonly hashes: readonly { readonly content: string }[] }[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

async function billOf(packages: Record<string, object>): Promise<Bill> {
  const project = { name: 'app', version: '3.0.0', license: 'Apache-2.0' }
  return JSON.parse(await billOfMaterials({ packages: { '': project, ...packages } })) as Bill
}

test('tools of development and optional packages are left out, and what they share with the program is not', async () => {
  const { components } = await billOf({
    'node_modules/shared': locked,
    'node_modules/tool': { ...locked, dev: true, dependencies: { shared: '^1.0.0' } },
    'node_modules/binary': { ...locked, optional: true },
    'node_modules/either': { ...locked, devOptional: true },
  })
  expect(components.map(({ purl }) => purl)).toEqual(['pkg:npm/shared@1.0.0'])
  expect(components[0]?.hashes[0]?.content).toBe(hash.toString('hex'))
})

test('a package needs the version that Node finds for it: its own, or the next one outwards', async () => {
  const { dependencies } = await billOf({
    '': { name: 'app', version: '3.0.0', dependencies: { '@a/b': '^1.0.0' } },
    'node_modules/@a/b': { ...locked, dependencies: { inner: '^2.0.0', outer: '^1.0.0' } },
    'node_modules/@a/b/node_modules/inner': { ...locked, version: '2.0.0', dependencies: { outer: '^1.0.0' } },
    'node_modules/inner': locked,
    'node_modules/outer': { ...locked, dependencies: { inner: '^1.0.0', absent: '*' } },
  })
  expect(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn ?? []])).toEqual([
    ['pkg:npm/%40a/b@1.0.0', ['pkg:npm/inner@2.0.0', 'pkg:npm/outer@1.0.0']],
    ['pkg:npm/app@3.0.0', ['pkg:npm/%40a/b@1.0.0']],
    ['pkg:npm/inner@1.0.0', []],
    ['pkg:npm/inner@2.0.0', ['pkg:npm/outer@1.0.0']],
    ['pkg:npm/outer@1.0.0', ['pkg:npm/inner@1.0.0']],
  ])
})

test('an alias is told by the name of what it stands for, and one version in two folders once', async () => {
  const { components } = await billOf({
    'node_modules/short': { ...locked, name: '@real/name' },
    'node_modules/other': locked,
    'node_modules/other/node_modules/short': { ...locked, name: '@real/name' },
  })
  expect(components.map(({ purl }) => purl)).toEqual(['pkg:npm/%40real/name@1.0.0', 'pkg:npm/other@1.0.0'])
})

test('licenses that are expressions are valid, and a lock file without the project is refused', async () => {
  const { components } = await billOf({ 'node_modules/two': { ...locked, license: '(MIT OR Apache-2.0)' } })
  expect(components).toMatchObject([{ licenses: [{ expression: '(MIT OR Apache-2.0)' }] }])
  await expect(billOfMaterials({ packages: {} })).rejects.toThrow('package-lock.json')
})
