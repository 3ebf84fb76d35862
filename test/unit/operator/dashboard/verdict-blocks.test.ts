import { expect, test } from 'vitest'
import type { MethodVerdict } from '../../../../src/controllers/disruption/index.ts'
import { blocksFromVerdicts } from '../../../../src/operator/dashboard/verdict-blocks.ts'
import { aStateNode, condition } from '../../../support/disruption-builders.ts'

function verdict(node: string, method: MethodVerdict['method'], code: MethodVerdict['code']): MethodVerdict {
  return { node, method, code, message: `${method} ${code}`, at: 0 }
}

test('of a drifted node it is told what drift said, of another one what consolidation said, each code once', () => {
  const nodes = [aStateNode('old', { conditions: [condition('Drifted')] }), aStateNode('new')]
  const verdicts = [
    verdict('new', 'drift', 'PDBBlocked'),
    verdict('new', 'multiNode', 'NodeDoNotDisrupt'),
    verdict('new', 'singleNode', 'NodeDoNotDisrupt'),
    verdict('new', 'singleNode', 'BudgetExhausted'),
    verdict('old', 'drift', 'RolloutHeld'),
    verdict('old', 'singleNode', 'NotConsolidatable'),
  ]
  expect(blocksFromVerdicts(verdicts, { nodes })).toEqual(
    new Map([
      [
        'new',
        [
          { code: 'NodeDoNotDisrupt', message: 'multiNode NodeDoNotDisrupt' },
          { code: 'BudgetExhausted', message: 'singleNode BudgetExhausted' },
        ],
      ],
      ['old', [{ code: 'RolloutHeld', message: 'drift RolloutHeld' }]],
    ]),
  )
})
