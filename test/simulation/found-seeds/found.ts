import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Which of the found seeds a project runs: those that show within half a day, or the longer ones. */
    readonly foundSeeds: 'half days' | 'whole days'
  }
}

export interface Found {
  readonly seed: number
  readonly what: string
  /** As long as it took to show, where a morning was not enough. */
  readonly hours?: number
}

export const morningHours = 2.75
const halfDayHours = 12

/** Those of this project: half days belong to `npm run test:simulation`; whole days take a minute or more each (`npm run test:days`). */
export function ofThisProject<Seed extends Found>(found: readonly Seed[]): Seed[] {
  const whole = inject('foundSeeds') === 'whole days'
  return found.filter(({ hours = morningHours }) => hours > halfDayHours === whole)
}
