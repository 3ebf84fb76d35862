import { Option } from 'commander'
import { optionTable } from '../operator/option-table.ts'
import type { Packing } from '../scheduling/index.ts'

/** What commands that decide as the operator would must know of its settings, beside the feature gates. */
export interface SchedulingOptions {
  readonly preferencePolicy: 'Respect' | 'Ignore'
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
  readonly packing: Packing['kind']
}

export function preferencePolicyOption(): Option {
  return new Option('--preference-policy <policy>', 'what preferences count for')
    .choices(['Respect', 'Ignore'])
    .default('Respect')
}

export function minValuesPolicyOption(): Option {
  return new Option('--min-values-policy <policy>', 'what happens when minValues cannot be met')
    .choices(['Strict', 'BestEffort'])
    .default('Strict')
}

export function packingOption(initial: string): Option {
  return new Option(
    '--packing <mode>',
    "greedy: Karpenter's choices; improved: cheaper nodes that keep every constraint",
  )
    .choices(['greedy', 'improved'])
    .default(initial)
}

/** What an operator does that nobody has told otherwise. */
export const operatorPacking: Packing['kind'] = optionTable.packing.default === 'improved' ? 'improved' : 'greedy'

/** With the operator's own bounds. `slicesMax`: work that the command allows, in milliseconds or so. */
export function packingOf(
  kind: Packing['kind'],
  { slicesMax = optionTable.packingBudget.default }: { readonly slicesMax?: number } = {},
): Packing {
  return kind === 'greedy' ? { kind } : { kind, slicesMax, largestShare: optionTable.packingLargestShare.default }
}
