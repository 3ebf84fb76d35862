import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { apiCases, type CaseKind, caseObject } from '../../support/api-cases.ts'
import { mutated } from '../../support/mutated-objects.ts'
import { installCRDs } from '../support/crds.ts'
import { karpenterCRDs } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { judgedByServer, judgedByUs, type Verdict } from '../support/verdicts.ts'

const kinds: readonly CaseKind[] = ['NodePool', 'NodeClaim', 'NodeOverlay', 'EC2NodeClass']
const objectsPerKind = 300

await describeWithPeers(
  'our validation says what the definitions of Karpenter 1.14 say',
  ['kube-apiserver', 'karpenter'],
  () => {
    const controlPlane = useControlPlane()
    beforeAll(async () => installCRDs(controlPlane(), await karpenterCRDs()))

    test.each(kinds)('of %s, about the numbered cases and random changes to them', async (kind) => {
      const random = new SeededRandom(20_260_103)
      const cases = apiCases.filter((one) => one.kind === kind && one.old === undefined)
      const plain = cases.map(({ change }) => caseObject(kind, change))
      const changed = Array.from({ length: objectsPerKind }, () =>
        mutated(caseObject(kind, cases[random.below(cases.length)]?.change ?? {}), random),
      )
      const differences: unknown[] = []
      for (const object of [...plain, ...changed]) {
        const ours = judgedByUs(object)
        const theirs = await judgedByServer(controlPlane(), object)
        if (!isDeepStrictEqual(withoutRest(ours), withoutRest(theirs)) && !differsInKubeletOnly(ours, theirs)) {
          differences.push({ spec: object.spec, ours, theirs })
        }
      }
      expect(differences).toEqual([])
    })

    test('but for kubelet settings of another type, which only ours take', async () => {
      const object = caseObject('EC2NodeClass', { kubelet: { podsPerCore: '2' } })
      expect(judgedByUs(object).errors).toEqual([])
      const { errors } = await judgedByServer(controlPlane(), object)
      expect(errors).toContainEqual(expect.stringMatching(/^spec\.kubelet\.podsPerCore: .* must be of type integer/))
    })
  },
)

/**
 * The release's definitions say of the whole list what its items have to be like; that adds a complaint to the one about a list that is
 * none.
 */
function withoutRest({ errors, ...rest }: Verdict): Verdict {
  const wrong = errors.flatMap((error) => wrongType.exec(error)?.[1] ?? [])
  const kept = errors.filter((error) => wrongType.test(error) || !wrong.some((path) => error.startsWith(`${path}: `)))
  return { ...rest, errors: kept }
}

const wrongType = /^(\S+): Invalid value: .* in body must be of type [\w,]+: /

/**
 * Ours takes kubelet settings that this release does not know; see docs/compatibility.md. Where the server has complained of a type it does
 * not come to the rules, and says so; ours then may complain of those besides.
 */
function differsInKubeletOnly(ours: Verdict, theirs: Verdict): boolean {
  const others = theirs.errors.filter((error) => !/^spec\.kubelet\.|some validation rules were not checked/.test(error))
  return others.length < theirs.errors.length && others.every((error) => ours.errors.includes(error))
}
