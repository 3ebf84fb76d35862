import { expect, test } from 'vitest'
import { parseQuantity } from '../../../src/model/quantity.ts'
import { toResources } from '../../../src/model/resources.ts'
import { AmountSpace } from '../../../src/scheduling/amounts.ts'

const types = [
  { cpu: '1930m', memory: '3Gi' },
  { cpu: '4', memory: '7250Mi', 'nvidia.com/gpu': '1' },
].map(toResources)
const pods = [{ cpu: '1u', memory: '128974848' }, { 'example.com/fraction': '500m' }].map(toResources)

test('what another space has observed counts as if it had been observed here', () => {
  const told = new AmountSpace()
  for (const list of [...types, ...pods]) told.observe(list)
  told.settle()

  const ofTypes = new AmountSpace()
  for (const list of types) ofTypes.observe(list)
  const merged = new AmountSpace()
  merged.observeAll(ofTypes)
  for (const list of pods) merged.observe(list)
  merged.settle()

  expect(merged.names).toEqual(told.names)
  for (const [index, name] of told.names.entries()) {
    const quantity = parseQuantity('1931u')
    expect([name, merged.asked(index, quantity)]).toEqual([name, told.asked(index, quantity)])
    expect(merged.toNano(index, 7)).toBe(told.toNano(index, 7))
  }
  expect(merged.scaleOf(told.names)).toBe(told.scaleOf(told.names))
})

test.each([
  { what: 'a finer unit', more: { cpu: '1u' } },
  { what: 'another resource before the others', more: { 'a.example/b': '1' } },
])('spaces tell $what apart', ({ more }) => {
  const [one, other] = [new AmountSpace(), new AmountSpace()]
  other.observe(toResources(more))
  for (const list of types) {
    one.observe(list)
    other.observe(list)
  }
  expect(other.scaleOf(['cpu', 'memory'])).not.toBe(one.scaleOf(['cpu', 'memory']))
})
