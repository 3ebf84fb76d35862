import { expect, test } from 'vitest'
import { tolerates } from '../../../src/model/taints.ts'

test.each([
  { operator: 'Gt', wanted: '5', actual: '6', tolerated: true },
  { operator: 'Gt', wanted: '5', actual: '5', tolerated: false },
  { operator: 'Lt', wanted: '5', actual: '4', tolerated: true },
  { operator: 'Lt', wanted: '5', actual: '5', tolerated: false },
  { operator: 'Lt', wanted: '-1', actual: '0', tolerated: false },
  // Beyond what a double tells apart.
  { operator: 'Gt', wanted: '9007199254740993', actual: '9007199254740995', tolerated: true },
  // No numbers, as kube-scheduler sees it.
  { operator: 'Gt', wanted: '100', actual: '1e3', tolerated: false },
  { operator: 'Gt', wanted: '10', actual: '0x10', tolerated: false },
  { operator: 'Gt', wanted: '0', actual: '1.0', tolerated: false },
  { operator: 'Gt', wanted: '0', actual: '01', tolerated: false },
  { operator: 'Gt', wanted: '0', actual: '9223372036854775808', tolerated: false },
  { operator: 'Lt', wanted: '5', actual: '', tolerated: false },
  { operator: 'Lt', wanted: '5', actual: undefined, tolerated: false },
] as const)('toleration $operator $wanted, taint $actual: $tolerated', ({ operator, wanted, actual, tolerated }) => {
  const taint = { key: 'k', effect: 'NoSchedule', ...(actual === undefined ? {} : { value: actual }) } as const
  expect(tolerates({ key: 'k', operator, value: wanted }, taint)).toBe(tolerated)
})

test.each([
  { toleration: { operator: 'Exists' }, tolerated: true },
  { toleration: { operator: 'Exists', effect: 'NoExecute' }, tolerated: false },
  { toleration: { key: 'k', operator: 'Exists' }, tolerated: true },
  { toleration: { key: 'other', operator: 'Exists' }, tolerated: false },
  { toleration: { key: 'k', value: 'v' }, tolerated: true },
  { toleration: { key: 'k', operator: '', value: 'v', effect: '' }, tolerated: true },
  { toleration: { key: 'k', operator: 'Equal', value: 'other' }, tolerated: false },
  { toleration: { key: 'k', operator: 'Equal' }, tolerated: false },
] as const)('k=v:NoSchedule with $toleration: $tolerated', ({ toleration, tolerated }) => {
  expect(tolerates(toleration, { key: 'k', value: 'v', effect: 'NoSchedule' })).toBe(tolerated)
})
