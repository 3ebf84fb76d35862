import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { KubeObject, Unsaved } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { aFleetClass, aFleetPool, aMachine } from '../../support/fleet-objects.ts'
import { servedAPIServer } from '../../support/served-api-server.ts'

/*
 * The shell of the shipped pipelines, run line by line as a runner would: in a fresh clone of the branch of a pull request, with the
 * variables that the platform sets, against a served cluster. What the platforms themselves do (checkout, artifacts, code scanning) is
 * not here.
 */

const root = join(import.meta.dirname, '../../..')
const shipped = (name: string): string => readFileSync(join(root, 'manifests/gitops', name), 'utf8')
const manifests = 'clusters/production/karpenter'

interface Step {
  readonly name?: string
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
  readonly with?: { readonly script?: string }
}

let folder = ''
let stop: () => Promise<void>

beforeAll(async () => {
  const world = await servedAPIServer()
  const { client } = world
  folder = world.folder
  stop = world.stop
  const [pool, nodeClass] = [aFleetPool({ name: 'general' }), aFleetClass()]
  const put = async <T extends KubeObject>(kind: Resource<T>, object: T): Promise<void> => {
    const { name, labels = {}, annotations = {} } = object.metadata
    await client.create(kind, { ...object, metadata: { name, labels, annotations } } as Unsaved<T>)
    const body = { status: (object as { readonly status?: unknown }).status }
    await client.patch(kind, { name }, { kind: 'merge', body }, { subresource: 'status' })
  }
  await put(nodePools, pool)
  await put(ec2NodeClasses, nodeClass)
  for (const name of ['n1', 'n2']) {
    const [claim, node] = aMachine(name, pool, nodeClass)
    await put(nodeClaims, claim)
    await put(nodes, node)
  }
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'joinery'), `#!/bin/sh\nexec '${process.execPath}' '${root}/bin/joinery.js' "$@"\n`)
  chmodSync(join(bin, 'joinery'), 0o755)
})

afterAll(async () => {
  await stop()
})

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'init.defaultBranch=main']
  const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
}

/** A repository with the manifests in a folder, whose branch `change` gives the nodes of the pool a label; returns a fresh clone of that branch. */
function clonedChange(name: string, of = manifests): string {
  const origin = join(folder, `${name}-origin`)
  const clone = join(folder, `${name}-clone`)
  mkdirSync(join(origin, of), { recursive: true })
  const write = (labels?: Record<string, string>): void => {
    const { apiVersion, kind, spec } = aFleetPool({ name: 'general', ...(labels === undefined ? {} : { labels }) })
    writeFileSync(join(origin, of, 'pool.yaml'), stringify({ apiVersion, kind, metadata: { name: 'general' }, spec }))
  }
  git(origin, 'init', '-q')
  write()
  git(origin, 'add', '.')
  git(origin, 'commit', '-qm', 'as it is')
  git(origin, 'checkout', '-qb', 'change')
  write({ team: 'a' })
  git(origin, 'commit', '-qam', 'label the nodes')
  git(folder, 'clone', '-q', '--depth', '1', '--branch', 'change', `file://${origin}`, clone)
  return clone
}

async function shell(script: string, cwd: string, env: Readonly<Record<string, string>>) {
  const path = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`
  // As a runner starts a script: the first command that fails ends it. An image need not have another shell than sh.
  return await promisify(execFile)('sh', ['-e', '-c', script], { cwd, env: { HOME: folder, PATH: path, ...env } })
}

/** As the platform fills in what is between double braces. */
function expanded(text: string, of = manifests): string {
  const values: Readonly<Record<string, string>> = {
    'vars.MANIFESTS': of,
    'secrets.KUBECONFIG_READ': readFileSync(join(folder, 'kubeconfig'), 'utf8'),
  }
  return text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`nobody knows ${name}`)
    return value
  })
}

describe('the GitHub workflow', () => {
  const { steps } = (
    parse(shipped('github-action.yaml')) as { readonly jobs: { readonly plan: { readonly steps: Step[] } } }
  ).jobs.plan

  /** Returns the summary that the steps have written. */
  async function ran(cwd: string, of = manifests): Promise<string> {
    const temp = mkdtempSync(join(folder, 'runner-'))
    const platform = { RUNNER_TEMP: temp, GITHUB_STEP_SUMMARY: join(temp, 'summary.md') }
    for (const { run, env = {} } of steps) {
      if (run === undefined) continue
      const own = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, expanded(value, of)]))
      await shell(expanded(run, of), cwd, { ...platform, ...own })
    }
    return readFileSync(platform.GITHUB_STEP_SUMMARY, 'utf8')
  }

  test('its steps write the plan as a summary, for code scanning, and as one comment', async () => {
    const cwd = clonedChange('github')
    expect(await ran(cwd)).toContain('**2 nodes to replace, 0 to remove')
    const { runs } = JSON.parse(readFileSync(join(cwd, 'plan.sarif'), 'utf8')) as Sarif
    const [first] = runs[0]?.results ?? []
    expect(first?.ruleId).toBe('plan/replace')
    // Relative to the repository: that is how code scanning finds the line.
    expect(first?.locations[0]?.physicalLocation.artifactLocation.uri).toBe(`${manifests}/pool.yaml`)

    const script = steps.find(({ name }) => name === 'Comment')?.with?.script ?? ''
    const comments: { id: number; body: string }[] = []
    const written = await comment(script, cwd, comments)
    expect(written).toMatchObject({ owner: 'team', repo: 'fleet', issue_number: 7 })
    expect(written.body).toContain('spec.template.metadata.labels.team: (absent) -> a')
    comments.push({ id: 1, body: 'unrelated' }, { id: 2, body: written.body })
    expect(await comment(script, cwd, comments)).toEqual({ ...written, comment_id: 2, issue_number: undefined })
  }, 60_000)

  test('manifests may lie at the top of the repository', async () => {
    expect(await ran(clonedChange('github-top', '.'), '.')).toContain('**2 nodes to replace, 0 to remove')
  }, 60_000)
})

interface Sarif {
  readonly runs: readonly {
    readonly results: readonly {
      readonly ruleId: string
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } }
      }[]
    }[]
  }[]
}

interface Written {
  readonly owner: string
  readonly repo: string
  readonly issue_number?: number
  readonly comment_id?: number
  readonly body: string
}

/** What the script would write with the platform's client, which knows these comments. */
async function comment(script: string, cwd: string, comments: readonly object[]): Promise<Written> {
  const calls: Written[] = []
  const write = (request: Written): Promise<void> => {
    calls.push(request)
    return Promise.resolve()
  }
  const github = {
    paginate: () => Promise.resolve(comments),
    rest: { issues: { listComments: {}, createComment: write, updateComment: write } },
  }
  const context = { repo: { owner: 'team', repo: 'fleet' }, issue: { number: 7 } }
  const files = { readFileSync: (name: string) => readFileSync(join(cwd, name), 'utf8') }
  await (runInNewContext(`(async (github, context, require) => {${script}})`) as (...args: unknown[]) => Promise<void>)(
    github,
    context,
    () => files,
  )
  expect(calls.length).toBe(1)
  return { issue_number: undefined, ...calls[0] } as Written
}

interface Note {
  readonly id: number
  readonly body: string
}

/** The notes of one merge request behind GitLab's API, in pages. */
async function gitlabNotes() {
  const notes: Note[] = []
  let isRefusing = false
  const path = '/api/v4/projects/12/merge_requests/7/notes'
  const server = createServer((request, response) => {
    void text(request).then((sent) => {
      const url = new URL(request.url ?? '/', 'http://gitlab')
      const isAllowed = !isRefusing && request.headers['private-token'] === 'token' && url.pathname.startsWith(path)
      if (!isAllowed) {
        response.writeHead(403).end('{"message":"403 Forbidden"}')
        return
      }
      if (request.method === 'GET') {
        const [size, page] = [Number(url.searchParams.get('per_page')), Number(url.searchParams.get('page'))]
        const next = notes.length > page * size ? String(page + 1) : ''
        response
          .writeHead(200, { 'x-next-page': next })
          .end(JSON.stringify(notes.slice((page - 1) * size, page * size)))
        return
      }
      const id = request.method === 'PUT' ? Number(url.pathname.slice(path.length + 1)) : notes.length
      notes[id] = { id, ...(JSON.parse(sent) as { readonly body: string }) }
      response.writeHead(200).end(JSON.stringify(notes[id]))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    notes,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`,
    refuse: () => {
      isRefusing = true
    },
    close: () => server.close(),
  }
}

describe('the GitLab pipeline', () => {
  const pipeline = parse(shipped('gitlab-ci.yaml')) as Readonly<Record<string, { readonly script: string[] }>>
  const scriptOf = (job: string): string => (pipeline[job]?.script ?? []).join('\n')

  test('its jobs print the plan, keep it, and write it as a note', async () => {
    const cwd = clonedChange('gitlab')
    const { stdout } = await shell(scriptOf('joinery-plan'), cwd, {
      KUBECONFIG_READ: join(folder, 'kubeconfig'),
      MANIFESTS: manifests,
    })
    expect(stdout).toContain('Plan: 2 nodes to replace, 0 to remove, 0 changed in place, 0 untouched.')
    for (const file of ['plan.md', 'plan.sarif']) expect(readFileSync(join(cwd, file), 'utf8')).toContain('general')

    const gitlab = await gitlabNotes()
    const write = () =>
      shell(scriptOf('joinery-note'), cwd, {
        CI_API_V4_URL: gitlab.url,
        CI_PROJECT_ID: '12',
        CI_MERGE_REQUEST_IID: '7',
        JOINERY_NOTE_TOKEN: 'token',
      })
    try {
      const others = Array.from({ length: 150 }, (_, index) => ({ id: index, body: `unrelated ${index}` }))
      gitlab.notes.push(...others)
      await write()
      const plan = readFileSync(join(cwd, 'plan.md'), 'utf8')
      expect(gitlab.notes.slice(150)).toEqual([{ id: 150, body: expect.stringContaining(plan) as string }])
      writeFileSync(join(cwd, 'plan.md'), 'of the next push')
      await write()
      expect(gitlab.notes).toEqual([
        ...others,
        { id: 150, body: expect.stringContaining('of the next push') as string },
      ])
      gitlab.refuse()
      await expect(write()).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('403') as string })
    } finally {
      gitlab.close()
    }
  }, 60_000)

  test('manifests may lie at the top of the repository', async () => {
    const variables = { KUBECONFIG_READ: join(folder, 'kubeconfig'), MANIFESTS: '.' }
    const { stdout } = await shell(scriptOf('joinery-plan'), clonedChange('gitlab-top', '.'), variables)
    expect(stdout).toContain('Plan: 2 nodes to replace, 0 to remove, 0 changed in place, 0 untouched.')
  }, 60_000)

  test('a manifest that the API server would refuse ends the job with its line', async () => {
    const cwd = clonedChange('broken')
    const file = join(cwd, manifests, 'pool.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('operator: In', 'operator: Within'))
    const run = shell(scriptOf('joinery-plan'), cwd, {
      KUBECONFIG_READ: join(folder, 'kubeconfig'),
      MANIFESTS: manifests,
    })
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/clusters\/production\/karpenter\/pool\.yaml:\d+:\d+ .*operator/) as string,
    })
  }, 60_000)
})
