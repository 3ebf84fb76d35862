import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { admit, type CompiledCustomResource, compileVersion } from '../../../src/api/validation/index.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { apiCases, type CaseKind, type CaseObject, caseObject } from '../../support/api-cases.ts'
import { mutated } from '../../support/mutated-objects.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { warningTexts } from '../support/warnings.ts'

/** How many objects are tried; all of them take a few seconds. */
const createsPerKind = 400
const updatesPerStored = 12

interface Verdict {
  /** `path: text` of each mistake, sorted. */
  readonly errors: readonly string[]
  /** What would be stored. */
  readonly spec?: unknown
  readonly unknownFields?: readonly string[]
}

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

function judgedByUs(object: CaseObject, stored?: CaseObject): Verdict {
  const admitted = admit(resourceOf(object.kind), object, stored)
  if (admitted.errors.length > 0) return { errors: textsOf(admitted.errors.map(({ message }) => message)) }
  return { errors: [], spec: (admitted.object as CaseObject).spec, unknownFields: admitted.unknownFields.toSorted() }
}

async function judgedByServer(
  controlPlane: ControlPlane,
  object: CaseObject,
  method: 'POST' | 'PUT' = 'POST',
): Promise<Verdict> {
  const path = method === 'POST' ? pathOf(object) : `${pathOf(object)}/${object.metadata.name}`
  const { status, body, headers } = await controlPlane.request(
    method,
    `${path}?dryRun=All&fieldValidation=Warn`,
    object,
  )
  if (status === 200 || status === 201) {
    const unknownFields = warningTexts(headers).map((text) => /^unknown field "(.*)"$/.exec(text)?.[1] ?? text)
    return { errors: [], spec: (body as CaseObject).spec, unknownFields: unknownFields.sort() }
  }
  const { message, details } = body as { message: string; details?: { causes?: { field: string; message: string }[] } }
  const causes = details?.causes ?? []
  return {
    errors:
      causes.length === 0 ? [`${status}: ${message}`] : textsOf(causes.map((one) => `${one.field}: ${one.message}`)),
  }
}

/**
 * The mistakes, without what differs between releases of Kubernetes: `Invalid value: 5: …` prints the value, its type or nothing,
 * and a value of the wrong type is called that in one to three sentences.
 */
function textsOf(messages: readonly string[]): string[] {
  const value = /Invalid value: (?:"(?:[^"\\]|\\.)*"|-?[\d.e+]+|true|false|null): /
  const wrongType = /^(.*?): (?:Invalid value: .* must be of type .*|Unsupported value: [^"].*)$/
  const again = /^<nil>: .*(?:must validate at least one schema|Checked value must be of type)|^\.spec\.replicas: /
  const texts = messages
    .filter((message) => !again.test(message))
    .map((message) => message.replace(value, 'Invalid value: ').replace(wrongType, '$1: wrong type'))
  return [...new Set(texts)].sort()
}

function pathOf({ apiVersion, kind }: CaseObject): string {
  return `/apis/${apiVersion}/${definitionOf(kind).spec.names.plural}`
}

function definitionOf(kind: CaseKind) {
  const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === kind)
  if (definition === undefined) throw new Error(`no definition of ${kind}`)
  return definition
}

function resourceOf(kind: CaseKind): CompiledCustomResource {
  const definition = definitionOf(kind)
  const compiled = compileVersion(definition, definition.spec.versions[0]?.name ?? '')
  if (compiled === undefined) throw new Error(`${kind} is not served`)
  return compiled
}
