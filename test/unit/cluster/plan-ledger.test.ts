import { describe, expect, test } from 'vitest'
import { PlanLedger } from '../../../src/cluster/plan-ledger.ts'
import { aPool } from './world.ts'

const limited = aPool('limited', { limits: { cpu: '48' } })
const free = aPool('free')

describe('claims of plans that were made at the same time', () => {
  test('a plan begins as many as it has, and the next plan as many again', () => {
    const ledger = new PlanLedger()
    const first = ledger.basis()
    expect([ledger.begin(limited, first), ledger.begin(limited, first)]).toEqual([undefined, undefined])
    ledger.settle(limited)
    ledger.settle(limited)
    expect(ledger.begin(limited, ledger.basis())).toBeUndefined()
  })

  test('of two plans on the same room under a limit only the first is carried out', () => {
    const ledger = new PlanLedger()
    const [one, other] = [ledger.basis(), ledger.basis()]
    expect(ledger.begin(limited, one)).toBeUndefined()
    expect(ledger.begin(limited, other)).toBe('another plan takes room under the limits of nodepool limited')
    expect(ledger.begin(limited, one)).toBeUndefined()
  })

  test('a plan made while a claim was being written does not know of its room, one made afterwards does', () => {
    const ledger = new PlanLedger()
    expect(ledger.begin(limited, ledger.basis())).toBeUndefined()
    const meanwhile = ledger.basis()
    ledger.settle(limited)
    expect(ledger.begin(limited, meanwhile)).toBe('another plan takes room under the limits of nodepool limited')
    expect(ledger.begin(limited, ledger.basis())).toBeUndefined()
  })

  test('a plan made while a claim is being launched does not know what its node will hold', () => {
    const launching = new Set(['limited', 'free'])
    const ledger = new PlanLedger(() => launching)
    const meanwhile = ledger.basis()
    launching.clear()
    expect(ledger.begin(limited, meanwhile)).toBe(
      'a node claim of nodepool limited was not launched yet, so what its limits leave was not known',
    )
    expect(ledger.begin(free, meanwhile)).toBeUndefined()
    expect(ledger.begin(limited, ledger.basis())).toBeUndefined()
  })

  test('without limits, and in another pool, they do not disturb each other', () => {
    const ledger = new PlanLedger()
    const [one, other] = [ledger.basis(), ledger.basis()]
    expect([ledger.begin(free, one), ledger.begin(free, other)]).toEqual([undefined, undefined])
    expect(ledger.begin(limited, other)).toBeUndefined()
  })
})

test('a plan from before a node was kept after all is not carried out in any pool', () => {
  const ledger = new PlanLedger()
  const before = ledger.basis()
  ledger.markTakenBack()
  expect(ledger.begin(free, before)).toBe('a node that was to go stays')
  expect(ledger.begin(free, ledger.basis())).toBeUndefined()
})
