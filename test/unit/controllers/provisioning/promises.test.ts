import { expect, test, vi } from 'vitest'
import { Promises } from '../../../../src/controllers/provisioning/index.ts'
import { aRunningPod, aStateNode, aWorld } from '../../../support/disruption-builders.ts'

const pod = (name: string) => aRunningPod({ name, uid: name })
const node = aStateNode('n')
const namesOn = (promises: Promises, on: Parameters<Promises['podsOn']>[0] = node) =>
  promises.podsOn(on).map(({ name }) => name)

test('the pods of a node are those that were promised a place on it, by its key or as its claim was written', () => {
  const promises = new Promises()
  const claim = node.nodeClaim?.metadata.name ?? ''
  promises.onClaim([pod('c'), pod('a')], claim)
  promises.onNode([pod('b')], node.key)
  promises.onClaim([pod('other')], 'another-claim')
  expect(namesOn(promises)).toEqual(['a', 'b', 'c'])
  expect(namesOn(promises, { key: claim, nodeClaim: undefined })).toEqual([])
})

test('a pod that is promised another place leaves the first; one that does not wait any more is forgotten', () => {
  const promises = new Promises()
  const told = vi.fn()
  promises.subscribe(told)
  promises.onNode([pod('a'), pod('b')], 'elsewhere')
  promises.onNode([pod('a'), pod('b')], 'elsewhere')
  expect(told).toHaveBeenCalledTimes(2)
  promises.onNode([pod('a')], node.key)
  expect(told).toHaveBeenCalledTimes(3)
  expect(namesOn(promises)).toEqual(['a'])
  expect(namesOn(promises, { key: 'elsewhere', nodeClaim: undefined })).toEqual(['b'])
  expect([...promises.keep([pod('a')], aWorld({ nodes: [node] }))]).toEqual([['a', node.key]])
  expect(namesOn(promises, { key: 'elsewhere', nodeClaim: undefined })).toEqual([])
  expect(namesOn(promises)).toEqual(['a'])
})
