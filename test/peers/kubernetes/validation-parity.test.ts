import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { apiCases, type CaseKind, type CaseObject, caseObject } from '../../support/api-cases.ts'
import { mutated } from '../../support/mutated-objects.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { judgedByServer, judgedByUs, pathOf } from '../support/verdicts.ts'

/** How many objects are tried; all of them take a few seconds. */
const createsPerKind = 400
const updatesPerStored = 12

await describeWithPeers('our validation says the same as a real API server', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  beforeAll(() => installCRDs(controlPlane()))

  const kinds: readonly CaseKind[] = ['NodePool', 'NodeClaim', 'NodeOverlay', 'EC2NodeClass']

  test.each(kinds)('about a new %s with random changes to the objects of the numbered cases', async (kind) => {
    const random = new SeededRandom(20_260_101)
    const cases = apiCases.filter((one) => one.kind === kind)
    const differences: unknown[] = []
    for (let i = 0; i < createsPerKind; i++) {
      const merged = Object.assign({}, ...[0, 1].map(() => cases[random.below(cases.length)]?.change ?? {})) as object
      const object = mutated(caseObject(kind, { ...merged }, 'sample'), random)
      const ours = judgedByUs(object)
      const theirs = await judgedByServer(controlPlane(), object)
      if (!isDeepStrictEqual(ours, theirs)) differences.push({ spec: object.spec, ours, theirs })
    }
    expect(differences).toEqual([])
  })

  test('about every spelling of an integer that a rule converts', async () => {
    const texts = [
      '5',
      '+5',
      '-5',
      '-0',
      '007',
      '0'.repeat(30),
      '',
      '+',
      ' 1',
      '1 ',
      '1\n',
      '0x10',
      '0X10',
      '0b1',
      '0o7',
    ]
    const more = ['1_000', '1.0', '1e3', '٣', '9223372036854775807', '9223372036854775808', '-9223372036854775809']
    for (const value of [...texts, ...more]) {
      const requirements = [{ key: 'example.com/a', operator: 'Gt', values: [value] }]
      for (const [kind, path] of [
        ['NodePool', 'template.spec.requirements'],
        ['NodeOverlay', 'requirements'],
      ] as const) {
        const object = caseObject(kind, { [path]: requirements }, 'sample')
        expect([kind, value, judgedByUs(object)]).toEqual([kind, value, await judgedByServer(controlPlane(), object)])
      }
    }
  })

  test.each(kinds)('about random changes to a stored %s', async (kind) => {
    const random = new SeededRandom(20_260_102)
    const cases = apiCases.filter((one) => one.kind === kind && one.want === 'accepted')
    const differences: unknown[] = []
    for (const [index, { old, change }] of cases.entries()) {
      const stored = await store(controlPlane(), caseObject(kind, { ...old, ...change }, `stored-${index}`))
      for (let i = 0; i < updatesPerStored; i++) {
        const object = mutated(stored, random)
        const ours = judgedByUs(object, stored)
        const theirs = await judgedByServer(controlPlane(), object, 'PUT')
        if (!isDeepStrictEqual(ours, theirs)) differences.push({ stored: stored.spec, spec: object.spec, ours, theirs })
      }
    }
    expect(differences).toEqual([])
  })
})

async function store(controlPlane: ControlPlane, object: CaseObject): Promise<CaseObject> {
  const { status, body } = await controlPlane.request('POST', pathOf(object), object)
  expect(status).toBe(201)
  return body as CaseObject
}
