import type { GateState } from './gates.ts'
import type { RolloutInput } from './input.ts'
import type { RateResult } from './rate.ts'
import type { Run } from './run.ts'
import type { Scope } from './scope.ts'
import type { WindowState } from './windows.ts'

/** What one look found out, for those who tell of it. */
export interface PassFacts {
  readonly input: RolloutInput
  readonly scope: Scope
  readonly run: Run | undefined
  readonly gates: GateState
  readonly window: WindowState
  readonly rate: RateResult
  readonly isForced: boolean
  readonly isObserving: boolean
}
