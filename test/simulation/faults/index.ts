import { admissionFaults } from './admission.ts'
import { apiFaults } from './api.ts'
import { cloudFaults } from './cloud.ts'
import type { Fault } from './fault.ts'
import { machineFaults } from './machines.ts'
import { peopleFaults } from './people.ts'

export type { Fault, FaultContext } from './fault.ts'

/** The whole catalogue, F1 to F40. */
export const faults: readonly Fault[] = [
  ...apiFaults,
  ...machineFaults,
  ...cloudFaults,
  ...peopleFaults,
  ...admissionFaults,
].toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)))

/** @throws for an id that nothing answers to */
export function faultsNamed(ids: readonly string[]): readonly Fault[] {
  return ids.map((id) => {
    const found = faults.find((fault) => fault.id === id)
    if (found === undefined)
      throw new Error(`unknown fault ${id}; known: ${faults.map((fault) => fault.id).join(', ')}`)
    return found
  })
}
