import type { Device, DeviceRequest, ResourceSlice } from '../../../src/api/kubernetes.ts'
import { aRequest, aSlice, type ClaimOptions, driver } from '../device-objects.ts'

/*
 * What cases about devices are made of: slices of the node that a case is about, requests, and what others hold.
 */

type Spec = Parameters<typeof aSlice>[2]

/** Of the node that the case is about. */
export const own = (list: readonly Device[], spec: Spec = {}, name = 'own') =>
  aSlice(name, list, { nodeName: 'node', ...spec })
/** For both slices of a pool that has two. */
export const ofTwoSlices = { pool: { name: 'own', resourceSliceCount: 2 } }
/** A slice has either counters or devices. */
export const counters = (value: string): ResourceSlice => {
  const sharedCounters = [{ name: 'set', counters: { memory: { value } } }]
  const slice = aSlice('counters', [], { nodeName: 'node', ...ofTwoSlices, sharedCounters })
  delete slice.spec.devices
  return slice
}
/** Of a partition: what it takes of those counters. */
export const draws = (value: string) => ({ consumesCounters: [{ counterSet: 'set', counters: { memory: { value } } }] })
export const ask = (...requests: Parameters<typeof aRequest>[0][]) => ({
  requests: requests.map((one) => aRequest(one)),
})
export const all = { allocationMode: 'All' }
export const having = (...expressions: string[]) => ({
  selectors: expressions.map((expression) => ({ cel: { expression } })),
})
export const modelled = (...models: string[]): Device[] =>
  models.map((model, i) => ({ name: `gpu-${i}`, attributes: { model: { string: model } } }))
export const tainted = (effect: string, value?: string): Device => ({
  name: 'tainted',
  taints: [{ key: 'example.com/broken', effect, ...(value === undefined ? {} : { value }) }],
})
export const shareable = (value: string, more: Partial<Device> = {}): Device => ({
  name: 'shared',
  allowMultipleAllocations: true,
  capacity: { memory: { value } },
  ...more,
})
export const memory = (amount: string) => ({ capacity: { requests: { memory: amount } } })
export const allocatedTo = (device: string, more: object = {}) => ({
  devices: { results: [{ request: 'main', driver, pool: 'own', device, ...more }] },
})
export const share = (amount: string, shareID = 'd6f1f2f3-1c7f-4c44-9d5b-1d3b2a3f4c5d') => ({
  shareID,
  consumedCapacity: { memory: amount },
})
export const firstOf = (...alternatives: NonNullable<DeviceRequest['firstAvailable']>): ClaimOptions => ({
  requests: [{ name: 'main', firstAvailable: alternatives }],
})

/** In an expression: the attributes of a device that name no domain. */
export const attributes = `device.attributes["${driver}"]`
