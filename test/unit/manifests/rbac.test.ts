import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { configMaps } from '../../../src/cluster/published-instance-types.ts'
import * as karpenterKinds from '../../../src/kube/karpenter-kinds.ts'
import * as kinds from '../../../src/kube/kinds.ts'
import { mutatingWebhookConfigurations, secrets, validatingWebhookConfigurations } from '../../../webhooks/kinds.ts'

/*
 * The shipped roles against the calls of the code, in both directions: what is called is allowed, and nothing is allowed that is not
 * called. A right is `verb group/resource`, as in `patch karpenter.sh/nodeclaims/status`.
 */

const root = join(import.meta.dirname, '../../..')
const configurations = [validatingWebhookConfigurations, mutatingWebhookConfigurations]
const definitions = { group: 'apiextensions.k8s.io', plural: 'customresourcedefinitions' }
const named: Readonly<Record<string, unknown>> = { ...kinds, ...karpenterKinds, configMaps, secrets, definitions }

/** Calls whose kind is a parameter, and what it stands for. Those of wrappers stand for the calls that they pass on. */
const parameters: Readonly<Record<string, readonly unknown[]>> = {
  'src/controllers/aws/capacity-type-sync.ts': [kinds.nodes, karpenterKinds.nodeClaims],
  'src/controllers/hash-stamps.ts': [
    karpenterKinds.nodeClaims,
    karpenterKinds.nodePools,
    karpenterKinds.ec2NodeClasses,
  ],
  'src/controllers/metrics/status-conditions.ts': [],
  'src/controllers/capacitybuffer/resolve.ts': [],
  'src/controllers/nodepool/deps.ts': [],
  'src/controllers/rollout/fleet.ts': [],
  'src/controllers/rollout/gather.ts': [],
  'src/controllers/rollout/status-writer.ts': [karpenterKinds.nodePools, karpenterKinds.ec2NodeClasses],
  'src/controllers/rollout/steering.ts': [],
  'src/controllers/warnings/index.ts': [],
  'src/controllers/warnings/mirror.ts': Object.values(karpenterKinds).filter(({ plural }) =>
    ['nodepools', 'ec2nodeclasses', 'nodeoverlays', 'rolloutpolicies'].includes(plural),
  ),
  'src/kube/newest-known.ts': [karpenterKinds.nodePools, karpenterKinds.ec2NodeClasses, karpenterKinds.rolloutPolicies],
  'src/operator/run-operator.ts': [],
  'src/operator/startup-checks.ts': [],
  'webhooks/certificate-manager.ts': configurations,
}
/** Whoever lets an owner's deletion wait for an object needs rights on the owner's finalizers: OwnerReferencesPermissionEnforcement. */
const ownersThatWait: Readonly<Record<string, { readonly group: string; readonly plural: string }>> = {
  'src/controllers/nodeclaim/node-sync.ts': karpenterKinds.nodeClaims,
  'src/scheduling/node-claim.ts': karpenterKinds.nodePools,
}
const wrappers = /^src\/kube\/(?:fenced-client|get-if-present|runtime|reflector)\.ts$/

const call =
  /\b(?:kube|client)\.(get|list|watch|create|update|patch|delete|evict|bind)\(|\b(?:caches\.of|reader)\(|\b(getIfPresent)\([\w.#]+, /g

function rightsCalled(...patterns: string[]): Set<string> {
  const rights = new Set<string>()
  for (const file of globSync(patterns, { cwd: root }).filter((path) => !wrappers.test(path))) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const match of text.matchAll(call)) {
      const args = argumentsFrom(text, match.index + match[0].length)
      const name = /^(?:caches, )?(?:kinds\.)?([\w.#]+)/.exec(args.trim())?.[1] ?? ''
      const asked = match[2] === undefined ? match[1] : 'get'
      if (asked === 'evict') {
        rights.add('create /pods/eviction')
        continue
      }
      const subresource = args.includes("subresource: 'status'") ? '/status' : ''
      const found = named[name] ?? parameters[file]
      if (found === undefined) throw new Error(`${file}: which kind is ${name}?`)
      for (const { group, plural } of [found].flat() as { group: string; plural: string }[]) {
        for (const verb of asked === undefined ? ['list', 'watch'] : [asked])
          rights.add(`${verb} ${group}/${plural}${subresource}`)
      }
    }
  }
  return rights
}

function rightsOnOwners(): string[] {
  return Object.values(ownersThatWait).map(({ group, plural }) => `update ${group}/${plural}/finalizers`)
}

/** The text up to the parenthesis that closes the call. */
function argumentsFrom(text: string, start: number): string {
  let depth = 1
  let end = start
  for (; depth > 0 && end < text.length; end += 1) {
    if ('([{'.includes(text.charAt(end))) depth += 1
    else if (')]}'.includes(text.charAt(end))) depth -= 1
  }
  return text.slice(start, end - 1)
}

interface Role {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly rules: readonly {
    readonly apiGroups: readonly string[]
    readonly resources: readonly string[]
    readonly verbs: readonly string[]
  }[]
}

function rightsGiven(name: string): Set<string> {
  const roles = parseAllDocuments(readFileSync(join(root, 'manifests/base/joinery.yaml'), 'utf8'))
    .map((document) => document.toJS() as Role)
    .filter(({ kind, metadata }) => /^(?:Cluster)?Role$/.test(kind) && metadata.name === name)
  return new Set(
    roles
      .flatMap(({ rules }) => rules)
      .flatMap(({ apiGroups, resources, verbs }) =>
        verbs.flatMap((verb) =>
          apiGroups.flatMap((group) => resources.map((resource) => `${verb} ${group}/${resource}`)),
        ),
      ),
  )
}

describe.each([
  ['joinery', ['src/controllers/**/*.ts', 'src/cluster/**/*.ts', 'src/operator/**/*.ts', 'src/kube/*.ts']],
  ['joinery-webhook', ['webhooks/*.ts']],
])('the roles of %s', (name, patterns) => {
  const called = rightsCalled(...patterns).union(new Set(name === 'joinery' ? rightsOnOwners() : []))
  const given = rightsGiven(name)

  test('allow every call', () => {
    expect(called.size).toBeGreaterThan(10)
    expect([...called.difference(given)]).toEqual([])
  })

  test('allow nothing else, but for reading one of what is listed anyway', () => {
    const needless = [...given.difference(called)].filter(
      (right) => !(right.startsWith('get ') && called.has(right.replace('get ', 'list '))),
    )
    expect(needless).toEqual([])
  })
})

test('owners whose deletion waits are those whose finalizers the operator may update', () => {
  const writing = globSync('src/**/*.ts', { cwd: root })
    // The embedded cluster's controllers have rights of their own, and the command line writes nothing.
    .filter((path) => !/^src\/(?:embedded|cli)\//.test(path))
    .filter((path) => readFileSync(join(root, path), 'utf8').includes('blockOwnerDeletion: true'))
  expect(writing.toSorted()).toEqual(Object.keys(ownersThatWait))
})
