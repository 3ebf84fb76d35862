import { afterAll, beforeAll, expect, test } from 'vitest'
import { judge } from '../../../src/admission/index.ts'
import { userDataProblem } from '../../../src/cloud/aws/userdata/user-data-problem.ts'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { apiCases, caseObject, type CaseKind, type CaseObject } from '../../support/api-cases.ts'
import { mutated } from '../../support/mutated-objects.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import type { JoineryProcess } from '../support/joinery-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { installRBAC, installWebhook } from '../support/shipped.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { pathOf } from '../support/verdicts.ts'
import { startWebhook } from '../support/webhook-process.ts'

const kinds: readonly CaseKind[] = ['NodePool', 'EC2NodeClass', 'NodeOverlay']
const perKind = 120
const mergePatch = 'application/merge-patch+json'

await describeWithPeers('the webhook that ships, on a real API server', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()
  let webhook: JoineryProcess | undefined
  beforeAll(async () => {
    await installCRDs(controlPlane())
    await installRBAC(controlPlane())
    // From before there was a webhook.
    expect(await send(stored)).toEqual({ status: 201, message: '' })
    await installWebhook(controlPlane())
    webhook = await startWebhook(controlPlane())
    // Its failures are passed over, so its first refusal is what shows that it is reached.
    await eventually('the webhook refuses', async () => (await send(frozen('new'), true)).message.includes('JN-101'))
  })
  afterAll(async () => {
    await webhook?.dispose()
  })

  test.each(kinds)(
    'judges random objects of kind %s as the rules do, and a dry run as the write that follows',
    async (kind) => {
      const random = new SeededRandom(20_260_601)
      const cases = apiCases.filter((one) => one.kind === kind && one.want === 'accepted')
      let denied = 0
      for (let i = 0; i < perKind; i++) {
        const change = { ...cases[random.below(cases.length)]?.change, ...cases[random.below(cases.length)]?.change }
        const object = mutated(caseObject(kind, change, `random-${i}`), random)
        const tried = await send(object, true)
        const written = await send(object)
        expect([object.spec, saidByWebhook(tried)]).toEqual([object.spec, saidByWebhook(written)])
        const { errors } = judge({
          object: object as unknown as KubeObject,
          operation: 'CREATE',
          rules: 'all',
          now: Date.now(),
          facts: { userDataProblem },
        })
        expect([object.spec, written.status, errors]).toEqual([
          object.spec,
          errors.length === 0 ? 201 : expect.toSatisfy((status: number) => status >= 400),
          errors,
        ])
        if (errors.some(({ rule }) => rule.startsWith('JN-')) && written.message.includes('JN-')) denied += 1
      }
      if (kind === 'NodePool') expect(denied).toBeGreaterThan(0)
    },
  )

  test('what is stored has the spec that was sent, so that nothing is to be synced again', async () => {
    const file = JSON.stringify(caseObject('NodePool', {}, 'synced'))
    expect((await controlPlane().kubectl(['apply', '-f', '-'], { input: file })).code).toBe(0)
    expect(await controlPlane().kubectl(['diff', '-f', '-'], { input: file })).toMatchObject({ code: 0, stdout: '' })
  })

  test('an object that is bad already keeps its status, its metadata and its way out', async () => {
    const path = `${pathOf(stored)}/${stored.metadata.name}`
    const patch = async (at: string, body: object) =>
      (await controlPlane().request('PATCH', at, body, mergePatch)).status
    expect(await patch(`${path}/status`, { status: { nodes: 1 } })).toBe(200)
    expect(await patch(path, { metadata: { labels: { a: 'b' }, finalizers: ['example.com/hold'] } })).toBe(200)
    expect(await patch(path, { spec: { weight: 5 } })).toBe(200)
    expect((await controlPlane().request('DELETE', path)).status).toBe(200)
    expect(await patch(path, { metadata: { finalizers: null } })).toBe(200)
    expect((await controlPlane().request('GET', path)).status).toBe(404)
  })

  test('calls that do not reach the webhook are counted by the API server as the alert expects', async () => {
    // The first calls of the test may have come before the webhook was reached.
    const before = await failures()
    await webhook?.dispose()
    webhook = undefined
    expect(await send(frozen('unseen'))).toEqual({ status: 201, message: '' })
    const after = await failures()
    expect([...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)])).toEqual([
      ['defaulting.webhook.joinery.dev', 1],
      ['validation.webhook.joinery.dev', 1],
    ])
  })

  /** The calls that the API server counted as failed, by the name of the webhook, whatever their code. */
  async function failures(): Promise<Map<string, number>> {
    const { stdout } = await controlPlane().kubectl(['get', '--raw', '/metrics'])
    const counts = new Map<string, number>()
    for (const line of stdout.split('\n').toSorted()) {
      const [, name, count] =
        /^apiserver_admission_webhook_request_total\{code="5\d\d".*name="([^"]+)".* (\d+)$/.exec(line) ?? []
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + Number(count))
    }
    return counts
  }

  async function send(object: CaseObject, dryRun = false): Promise<{ status: number; message: string }> {
    const path = `${pathOf(object)}${dryRun ? '?dryRun=All' : ''}`
    const { status, body } = await controlPlane().request('POST', path, object)
    return { status, message: status === 201 ? '' : String((body as { message?: unknown }).message) }
  }
})

/** What the schema refuses a server tells in any order. */
function saidByWebhook({ status, message }: { status: number; message: string }): unknown {
  return { status, message: message.includes('denied the request') ? message : '' }
}

/** A pool that the rules refuse. */
function frozen(name: string): CaseObject {
  const budget = { nodes: '1', schedule: 'at noon on each day', duration: '1h' }
  return caseObject('NodePool', { disruption: { consolidateAfter: '0s', budgets: [budget] } }, name)
}

const stored = frozen('stored')
