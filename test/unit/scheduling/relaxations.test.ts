import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PodConstraints } from '../../../src/scheduling/pod-constraints.ts'
import { relax } from '../../reference-scheduler/relax.ts'
import { Relaxations } from '../../../src/scheduling/relaxations.ts'
import { zoneKey } from '../../support/scheduling-world.ts'

const key = fc.constantFrom('one', 'two', 'three', 'four')
const weight = fc.integer({ min: 1, max: 4 })
const nodeTerm = key.map((name) => ({ matchExpressions: [{ key: name, operator: 'Exists' }] }))
const podTerm = key.map((topologyKey) => ({ topologyKey, labelSelector: { matchLabels: { app: 'web' } } }))
const weighted = fc.array(fc.record({ weight, podAffinityTerm: podTerm }), { maxLength: 6 })
const constraints: fc.Arbitrary<PodConstraints> = fc.record({
  requiredNodeTerms: fc.array(nodeTerm, { maxLength: 4 }),
  preferredNodeTerms: fc
    .array(fc.record({ weight, preference: nodeTerm }), { maxLength: 6 })
    .map((terms) => terms.toSorted((a, b) => b.weight - a.weight)),
  requiredAffinity: fc.array(podTerm, { maxLength: 2 }),
  preferredAffinity: weighted,
  requiredAntiAffinity: fc.array(podTerm, { maxLength: 2 }),
  preferredAntiAffinity: weighted,
  spread: fc.array(
    fc.record({
      maxSkew: fc.nat(9),
      topologyKey: key,
      whenUnsatisfiable: fc.constantFrom('DoNotSchedule' as const, 'ScheduleAnyway' as const),
    }),
    { maxLength: 6 },
  ),
  tolerations: fc.constantFrom([], [{ operator: 'Exists' as const, effect: 'PreferNoSchedule' as const }]),
})

test('after so many things given up a pod is left with what is left after giving up one at a time', () => {
  fc.assert(
    fc.property(constraints, fc.boolean(), (wanted, softTaints) => {
      const relaxations = new Relaxations(wanted, { softTaints })
      let left = wanted
      for (let dropped = 0; dropped < relaxations.count; dropped += 1) {
        const step = relax(left, { softTaints })
        expect(relaxations.reason(dropped)).toBe(step?.reason)
        left = step?.constraints ?? left
        expect(relaxations.after(dropped + 1)).toEqual(left)
      }
      expect(relax(left, { softTaints })).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})

test('node terms that went before something else come back one after the other, without what was given up since', () => {
  fc.assert(
    fc.property(constraints, fc.boolean(), (wanted, softTaints) => {
      const relaxations = new Relaxations(wanted, { softTaints })
      const { count, steps, wishes } = relaxations
      expect(steps - count).toBe(count > wishes.from ? wishes.from : 0)
      for (let step = count + 1; step <= steps; step += 1) {
        const requiredNodeTerms = wanted.requiredNodeTerms.slice(step - count - 1)
        expect(relaxations.after(step)).toEqual({ ...relaxations.after(count), requiredNodeTerms })
        expect(relaxations.reason(step - 1)).toBe(
          `restoring: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]=${JSON.stringify(requiredNodeTerms[0])}`,
        )
      }
    }),
  )
})

test('between the first wish and the last one nothing goes that says where a pod may go at all', () => {
  fc.assert(
    fc.property(constraints, (wanted) => {
      const relaxations = new Relaxations(wanted, { softTaints: true })
      const { wishes, nodeWishes } = relaxations
      const first = relaxations.after(wishes.from)
      for (let dropped = wishes.from; dropped <= wishes.to; dropped += 1) {
        const { requiredNodeTerms, tolerations, preferredNodeTerms } = relaxations.after(dropped)
        expect([requiredNodeTerms, tolerations]).toEqual([first.requiredNodeTerms, first.tolerations])
        if (dropped <= nodeWishes.from) expect(preferredNodeTerms).toEqual(first.preferredNodeTerms)
        if (dropped >= nodeWishes.to) expect(preferredNodeTerms).toEqual([])
      }
    }),
  )
})

test('a pod that insists on everything has nothing to give up', () => {
  const required = { matchExpressions: [{ key: zoneKey, operator: 'In', values: ['z1'] }] }
  const insisting: PodConstraints = {
    requiredNodeTerms: [required],
    preferredNodeTerms: [],
    requiredAffinity: [],
    preferredAffinity: [],
    requiredAntiAffinity: [],
    preferredAntiAffinity: [],
    spread: [],
    tolerations: [],
  }
  expect(new Relaxations(insisting, { softTaints: false }).count).toBe(0)
})
