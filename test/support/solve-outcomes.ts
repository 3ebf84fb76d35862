import type { SolveOutcome } from '../../src/controllers/provisioning/index.ts'

type Solved = Extract<SolveOutcome, { kind: 'solved' }>

/** A solve of which nothing came but `more`. */
export const solved = (more: Partial<Solved> = {}): Solved => ({
  kind: 'solved',
  notices: [],
  claims: [],
  existing: [],
  failed: [],
  relaxed: [],
  timedOut: false,
  ...more,
})
