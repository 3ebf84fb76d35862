import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { runCommand } from '../../../support/command-run.ts'
import {
  aFleetCatalogue,
  aFleetClass,
  aFleetPool,
  aMachine,
  aPodOn,
  type FleetPoolOptions,
} from '../../../support/fleet-objects.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-plan-test-'))
  const [pool, nodeClass] = [aFleetPool(), aFleetClass()]
  const nodes = ['n1', 'n2', 'n3'].flatMap((name) => [
    ...aMachine(name, pool, nodeClass),
    aPodOn(name, `pod-${name}`, { cpu: '1500m' }),
  ])
  const items = [aFleetCatalogue(), pool, nodeClass, ...nodes]
  write('snapshot.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  write('snapshot.yaml', items.map((item) => `---\n${stringify(item)}`).join(''))
  write('same.yaml', manifest(aFleetPool()))
  write('label.yaml', manifest(aFleetPool({ labels: { team: 'a' } })))
  write('renamed.yaml', `${manifest(aFleetPool({ name: 'renamed' }))}---\n${manifest(aFleetClass())}`)
  write('weight.yaml', manifest(aFleetPool({ weight: 7 })))
  write('alias.yaml', manifest(aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })))
  write('taint.yaml', manifest(tainted))
})

const tainted = aFleetPool({
  template: { taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }] },
} satisfies FleetPoolOptions)

afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
}

/** As it stands in Git: no status, no annotations of controllers. */
function manifest({ apiVersion, kind, metadata, ...rest }: KubeObject & { readonly spec?: unknown }): string {
  return stringify({ apiVersion, kind, metadata: { name: metadata.name }, spec: rest.spec })
}

const plan = (...args: readonly string[]) =>
  runCommand(['plan', ...args, ...(args.includes('--context') ? [] : ['--snapshot', 'snapshot.json'])], { cwd: folder })

describe('joinery plan', () => {
  test('prints JSON of the documented shape', async () => {
    const { code, stdout } = await plan('-f', 'label.yaml', '-o', 'json')
    expect(code).toBe(0)
    const answer: unknown = JSON.parse(stdout)
    const field = { path: 'spec.template.metadata.labels.team', old: null, new: 'a' }
    const node = (name: string, wave: number) => ({
      node: name,
      nodeClaim: `claim-${name}`,
      nodePool: 'default',
      action: 'replace',
      reason: 'NodePoolDrifted',
      fields: [field],
      wave,
    })
    expect(answer).toEqual({
      objects: [{ kind: 'NodePool', name: 'default', change: 'changed' }],
      nodes: [node('n1', 1), node('n2', 1), node('n3', 2)],
      waves: [
        { wave: 1, notBefore: '2026-06-14T09:00:00Z', nodes: ['n1', 'n2'] },
        { wave: 2, notBefore: '2026-06-14T09:02:30Z', nodes: ['n3'] },
      ],
      unplaceablePods: [],
      blockedBy: [],
      limits: [],
      cost: { before: 0.288, during: 0.48, after: 0.288 },
      durationSeconds: 300,
      notices: [],
    })
  })

  test('a snapshot in YAML gives the same bytes as one in JSON', async () => {
    const [json, yaml] = await Promise.all([
      plan('-f', 'label.yaml', '-o', 'json'),
      runCommand(['plan', 'label.yaml', '--snapshot', 'snapshot.yaml', '-o', 'json'], { cwd: folder }),
    ])
    expect(yaml.stdout).toBe(json.stdout)
  })

  test('a snapshot may come on standard input', async () => {
    const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [aFleetPool(), aFleetClass()] })
    const result = await runCommand(['plan', '-f', 'same.yaml', '--snapshot', '-'], { cwd: folder, stdin })
    expect(result).toEqual({ code: 0, stdout: 'No changes. Every node stays as it is.\n', stderr: '' })
  })

  const twiceFromStandardInput: Record<string, readonly string[]> = {
    'the manifests and the snapshot': ['-', '--snapshot', '-'],
    'the manifests and the images': ['-', '--images', '-'],
    'the snapshot and the images': ['label.yaml', '--snapshot', '-', '--images', '-'],
  }
  test.each(Object.entries(twiceFromStandardInput))('standard input cannot be %s', async (_name, args) => {
    const { code, stderr } = await runCommand(['plan', ...args], { cwd: folder, stdin: '' })
    expect(code).toBe(2)
    expect(stderr).toContain('standard input can hold')
  })

  const codes: Record<string, { readonly args: readonly string[]; readonly want: number }> = {
    'nothing changes': { args: ['-f', 'same.yaml', '--detailed-exitcode'], want: 0 },
    'nodes are replaced': { args: ['-f', 'label.yaml', '--detailed-exitcode'], want: 3 },
    'an object changes in place': { args: ['-f', 'weight.yaml', '--detailed-exitcode'], want: 3 },
    'nodes are replaced, and nobody asked': { args: ['-f', 'label.yaml'], want: 0 },
    'no manifest is named': { args: [], want: 2 },
    'an unknown format': { args: ['-f', 'same.yaml', '-o', 'toml'], want: 2 },
    'a file that is not there': { args: ['-f', 'missing.yaml'], want: 1 },
    'two places for the cluster': {
      args: ['-f', 'same.yaml', '--kubeconfig', 'x', '--snapshot', 'snapshot.json'],
      want: 2,
    },
    'a context beside a snapshot': { args: ['same.yaml', '--context', 'x', '--snapshot', 'snapshot.json'], want: 2 },
    'a duration below zero': { args: ['-f', 'same.yaml', '--drain-time', '-1s'], want: 2 },
    'no duration': { args: ['-f', 'same.yaml', '--launch-time', 'soon'], want: 2 },
  }
  test.each(Object.entries(codes))('exit code when %s', async (_name, { args, want }) => {
    expect((await plan(...args)).code).toBe(want)
  })

  test('a folder without anything that is planned is no wish to change nothing', async () => {
    write('service.yaml', 'apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n')
    expect(await plan('-f', 'service.yaml')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'service.yaml: holds no NodePool, EC2NodeClass, NodeOverlay or RolloutPolicy: there is nothing to plan\n',
    })
  })

  test('a file that is no snapshot is not taken for a cluster without nodes', async () => {
    write('other.yaml', 'hello: world\n')
    const { code, stderr } = await runCommand(['plan', '-f', 'same.yaml', '--snapshot', 'other.yaml'], { cwd: folder })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'other.yaml: is no snapshot: it holds nothing that `joinery snapshot` records\n',
    })
  })

  test('bad input is one line with file, line, column and field', async () => {
    write('bad.yaml', manifest(aFleetPool()).replace('expireAfter: 720h', 'expireAfter: soon'))
    const { code, stdout, stderr } = await plan('-f', 'bad.yaml')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^bad\.yaml:\d+:\d+ NodePool\/default spec\.template\.spec\.expireAfter: .+\n$/)
  })

  test('an object that comes twice is refused', async () => {
    const { code, stderr } = await plan('-f', 'same.yaml', '-f', 'label.yaml')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'label.yaml:1:1 NodePool/default: is already in same.yaml:1\n',
    })
  })

  test('of kinds that a plan does not read there may be any number, as in a folder of overlays', async () => {
    const kustomization = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []\n'
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n'
    write('others.yaml', [kustomization, config, 'replicas: 3\n', kustomization, config, 'replicas: 2\n'].join('---\n'))
    expect(await plan('-f', 'label.yaml', '-f', 'others.yaml')).toEqual(await plan('-f', 'label.yaml'))
  })

  test('a pool that comes takes the pods of one that goes', async () => {
    const { stdout } = await plan('-f', 'renamed.yaml', '--prune', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ unplaceablePods: [] })
  })

  test('--prune takes away what no manifest names', async () => {
    const objects = async (...args: readonly string[]): Promise<unknown> => {
      const { stdout } = await plan('-f', 'alias.yaml', '-o', 'json', ...args)
      const answer = JSON.parse(stdout) as { objects: object[]; nodes: { action: string }[] }
      return [answer.objects, new Set(answer.nodes.map(({ action }) => action))]
    }
    const changed = { kind: 'EC2NodeClass', name: 'default', change: 'changed' }
    expect(await objects()).toEqual([[changed], new Set(['replace'])])
    expect(await objects('--prune')).toEqual([
      [changed, { kind: 'NodePool', name: 'default', change: 'removed' }],
      new Set(['remove']),
    ])
  })

  test('a catalogue among the manifests says what new nodes cost', async () => {
    write('dearer.yaml', stringify(aFleetCatalogue()).replaceAll(/price: .*/g, 'price: 1'))
    const { stdout } = await plan('-f', 'label.yaml', '-f', 'dearer.yaml', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject({ cost: { after: 3 } })
  })

  test('--now says when the plan begins; without it that is the newest time in the snapshot', async () => {
    const begin = async (...args: readonly string[]): Promise<unknown> => {
      const { stdout } = await plan('-f', 'label.yaml', '-o', 'json', ...args)
      return (JSON.parse(stdout) as { waves: { notBefore: string }[] }).waves[0]?.notBefore
    }
    expect(await begin()).toBe('2026-06-14T09:00:00Z')
    expect(await begin('--now', '2026-06-20T08:00:00Z')).toBe('2026-06-20T08:00:00Z')
  })

  test('--launch-time and --drain-time say how long each replacement takes', async () => {
    const { stdout } = await plan('-f', 'label.yaml', '-o', 'json', '--launch-time', '10m', '--drain-time', '5m')
    // Two of three go at once, the third when they have gone.
    expect(JSON.parse(stdout)).toMatchObject({ durationSeconds: 30 * 60, waves: [{ wave: 1 }, { wave: 2 }] })
  })

  test('--exact judges each node by itself where there are too many for that to be quick', async () => {
    const [pool, nodeClass] = [aFleetPool(), aFleetClass()]
    const machines = Array.from({ length: 72 }, (_, index) => aMachine(`m${index}`, pool, nodeClass)).flat()
    const items = [aFleetCatalogue(), pool, nodeClass, ...machines]
    write('large.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
    const grouped = async (...args: readonly string[]): Promise<boolean> => {
      const line = ['plan', '-f', 'label.yaml', '--snapshot', 'large.json', '-o', 'json', ...args]
      const { stdout } = await runCommand(line, { cwd: folder })
      return (JSON.parse(stdout) as { notices: string[] }).notices.some((notice) => notice.includes('in groups'))
    }
    expect([await grouped(), await grouped('--exact')]).toEqual([true, false])
  })

  test('is written for people', async () => {
    const { stdout } = await plan('-f', 'label.yaml')
    expect(stdout).toBe(`Objects
  ~ NodePool/default changed

Nodes
  -/+ default: 3 nodes to replace, NodePoolDrifted
        spec.template.metadata.labels.team: (absent) -> a
        n1, n2, n3

Waves
  1. 2026-06-14T09:00:00Z  2 nodes: n1, n2
  2. 2026-06-14T09:02:30Z  1 node: n3

Plan: 3 nodes to replace, 0 to remove, 0 changed in place, 0 untouched.
Takes 5m0s in 2 waves. Cost: $0.2880/h now, $0.4800/h at most, $0.2880/h after.
Times assume that a new node is ready after 1m30s and an old one gone 1m0s later; prices, that the cheapest offering is had.
`)
  })

  test('Markdown has tables for the change and lists for what is in its way', async () => {
    const { stdout } = await plan('-f', 'taint.yaml', '-o', 'markdown')
    expect(stdout).toContain('| `default` | 3 | replace | NodePoolDrifted |')
    expect(stdout).toContain('**Pods that would fit nowhere**')
    // Once, not once for each node and its pods.
    expect(stdout.match(/^- .*Not all pods would schedule/gm)).toHaveLength(1)
    expect(stdout).toContain('- 3 nodes: Not all pods would schedule: did not tolerate taint')
    expect(stdout).toContain('- 3 pods (on 3 nodes): did not tolerate taint')
    expect(stdout).toContain(': `default/pod-n1` `default/pod-n2` `default/pod-n3`')
    expect(stdout).toContain('0 untouched; 3 held back.** Nothing moves as long as it is held back. Cost:')
  })

  test.each([
    ['with', 'label.yaml', 'Takes 5m0s in 2 waves.'],
    ['without', 'same.yaml', 'No changes.'],
  ])('Markdown %s an effect lists what the plan leaves open', async (_name, file, said) => {
    const snapshot = readFileSync(join(folder, 'snapshot.json'), 'utf8')
    write(
      'later.json',
      snapshot.replace('"annotations":{', '"annotations":{"joinery.dev/restart-at":"2026-06-15T09:00:00Z",'),
    )
    const { stdout } = await runCommand(['plan', file, '--snapshot', 'later.json', '-o', 'markdown'], { cwd: folder })
    expect(stdout).toContain(said)
    expect(stdout).toContain('\n**Notices**\n\n- From 2026-06-15T09:00:00Z on NodePool default has its nodes replaced')
  })

  test('Markdown lets no value out of its cell', async () => {
    write('tags.yaml', manifest(aFleetClass({ tags: { note: 'a|b `c`' } })))
    const { stdout } = await plan('-f', 'tags.yaml', '-o', 'markdown')
    expect(stdout).toContain("| `spec.tags.note: (absent) -> a\\|b 'c'` |")
  })

  test('SARIF points at the manifest', async () => {
    const { stdout } = await plan('-f', 'taint.yaml', '-o', 'sarif')
    const log = JSON.parse(stdout) as {
      version: string
      runs: {
        tool: { driver: { rules: { id: string }[] } }
        results: { ruleId: string; level: string; message: object; locations: unknown }[]
      }[]
    }
    expect(log.version).toBe('2.1.0')
    const [run] = log.runs
    const rules = new Set(run?.tool.driver.rules.map(({ id }) => id))
    expect(run?.results.map(({ ruleId, level }) => `${level} ${ruleId}`)).toEqual([
      'warning plan/replace',
      // Each is held back for its own pod, and all pods for one taint.
      'warning plan/blocked',
      'error plan/unplaceable-pod',
    ])
    expect(run?.results.map(({ message }) => message)).toEqual([
      {
        text:
          'replaces 3 nodes of NodePool default (NodePoolDrifted: ' +
          'spec.template.spec.taints[0]: (absent) -> {"key":"team","value":"a","effect":"NoSchedule"})',
      },
      { text: '3 nodes: Not all pods would schedule: did not tolerate taint (taint=team=a:NoSchedule)' },
      { text: '3 pods (on 3 nodes): did not tolerate taint (taint=team=a:NoSchedule)' },
    ])
    const at = (startLine: number, startColumn: number) => [
      { physicalLocation: { artifactLocation: { uri: 'taint.yaml' }, region: { startLine, startColumn } } },
    ]
    const lines = readFileSync(join(folder, 'taint.yaml'), 'utf8').split('\n')
    const taint = lines.findIndex((line) => line.includes('- effect: NoSchedule') || line.includes('- key: team'))
    for (const { ruleId, locations } of run?.results ?? []) {
      expect(rules).toContain(ruleId)
      // What replaces nodes is the field, what holds them back is about the whole pool.
      expect(locations).toEqual(
        ruleId === 'plan/replace' ? at(taint + 1, (lines[taint]?.indexOf('-') ?? 0) + 3) : at(1, 1),
      )
    }
  })

  test('SARIF puts what a class replaces at the class of the pool, and what the pool asks for at the pool', async () => {
    const other = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] }, 'another')
    const bottlerocket = aFleetClass({ amiSelectorTerms: [{ alias: 'bottlerocket@v1.30.0' }] })
    const uris = async (own: KubeObject): Promise<readonly (string | undefined)[]> => {
      write('another.yaml', manifest(other))
      write('class.yaml', manifest(bottlerocket))
      write('pool #1.yaml', manifest(own))
      const { stdout } = await plan('-f', 'another.yaml', '-f', 'class.yaml', '-f', 'pool #1.yaml', '-o', 'sarif')
      const log = JSON.parse(stdout) as {
        runs: {
          results: {
            ruleId: string
            locations: { physicalLocation: { artifactLocation: { uri: string } } }[]
          }[]
        }[]
      }
      const replaced = log.runs[0]?.results.filter(({ ruleId }) => ruleId === 'plan/replace') ?? []
      return replaced.map(({ locations }) => locations[0]?.physicalLocation.artifactLocation.uri)
    }
    expect(await uris(aFleetPool())).toEqual(['class.yaml'])
    expect(await uris(aFleetPool({ labels: { team: 'a' } }))).toEqual(['pool%20%231.yaml'])
  })

  test('SARIF has nothing of nodes that stay', async () => {
    const { stdout } = await plan('-f', 'weight.yaml', '-o', 'sarif')
    expect((JSON.parse(stdout) as { runs: object[] }).runs).toMatchObject([{ results: [] }])
  })

  test('SARIF puts what is in the way of a pool at its manifest, or else at what changes', async () => {
    const log = async (...files: readonly string[]): Promise<readonly string[]> => {
      const { stdout } = await plan(...files, '-o', 'sarif')
      const { runs } = JSON.parse(stdout) as {
        runs: {
          results: {
            ruleId: string
            locations: { physicalLocation: { artifactLocation: { uri: string } } }[]
          }[]
        }[]
      }
      return (runs[0]?.results ?? []).map(
        ({ ruleId, locations }) =>
          `${ruleId} ${locations.map((at) => at.physicalLocation.artifactLocation.uri).join()}`,
      )
    }
    write('another.yaml', manifest(aFleetClass({}, 'another')))
    expect(await log('another.yaml', 'taint.yaml')).toEqual([
      'plan/replace taint.yaml',
      'plan/blocked taint.yaml',
      'plan/unplaceable-pod taint.yaml',
    ])
    write('same-class.yaml', manifest(aFleetClass()))
    write('new-pool.yaml', manifest(aFleetPool({ name: 'new' })))
    expect(await log('same-class.yaml', 'new-pool.yaml', '--prune')).toEqual(['plan/remove new-pool.yaml'])
    expect(await log('another.yaml', '--prune')).toEqual([
      'plan/remove another.yaml',
      'plan/unplaceable-pod another.yaml',
    ])
  })

  test('SARIF puts what no manifest asks for at the first of them: GitHub refuses a result without a place', async () => {
    write('unchanged.yaml', `kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n---\n${manifest(aFleetClass())}`)
    const { stdout } = await plan('-f', 'unchanged.yaml', '--prune', '-o', 'sarif')
    expect((JSON.parse(stdout) as { runs: { results: unknown[] }[] }).runs[0]?.results).toEqual([
      {
        ruleId: 'plan/remove',
        level: 'warning',
        message: { text: 'removes 3 nodes of NodePool default (NodePoolRemoved)' },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'unchanged.yaml' },
              region: { startLine: 5, startColumn: 1 },
            },
          },
        ],
      },
      expect.objectContaining({ ruleId: 'plan/unplaceable-pod' }),
    ])
  })

  test('a cluster that cannot be reached is one line', async () => {
    const { code, stdout, stderr } = await plan('-f', 'same.yaml', '--context', 'nowhere')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: .*(kubeconfig|nowhere).*\n$/)
  })
})
