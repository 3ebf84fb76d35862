import { apiFaults } from './api.ts'
import { cloudFaults } from './cloud.ts'
import type { Fault } from './fault.ts'
import { machineFaults } from './machines.ts'
import { peopleFaults } from './people.ts'

export type { Fault, FaultContext } from './fault.ts'

/** F35 and F36 concern the admission server, which is no part of this world: test/unit/webhooks has them. */
export const faults: readonly Fault[] = [...apiFaults, ...machineFaults, ...cloudFaults, ...peopleFaults].toSorted(
  (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
)

/** @throws for an id that nothing answers to */
export function faultsNamed(ids: readonly string[]): readonly Fault[] {
  return ids.map((id) => {
    const found = faults.find((fault) => fault.id === id)
    if (found === undefined)
      throw new Error(`unknown fault ${id}; known: ${faults.map((fault) => fault.id).join(', ')}`)
    return found
  })
}
