import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

/** Amounts of devices that cannot be read are told of with their place, before anything is reckoned with them. */

const claim = (consumed: string) => `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: { name: held, namespace: default }
spec: { devices: { requests: [{ name: main, exactly: { deviceClassName: gpu } }] } }
status:
  allocation:
    devices:
      results: [{ request: main, driver: d.example.com, pool: net, device: gpu-0, consumedCapacity: { memory: ${consumed} } }]
`
const slice = (fields: string) => `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: { name: net }
spec:
  driver: d.example.com
  allNodes: true
  pool: { name: net, generation: 1, resourceSliceCount: 1 }
  ${fields}
`
const policy = (text: string) =>
  slice(`devices: [{ name: gpu-0, capacity: { memory: { value: 40Gi, requestPolicy: ${text} } } }]`)

const cases: Record<string, readonly [manifest: string, place: string]> = {
  'what a claim consumes': [claim('lots'), 'status.allocation.devices.results[0].consumedCapacity.memory'],
  'a capacity': [
    slice('devices: [{ name: gpu-0, capacity: { memory: { value: lots } } }]'),
    'spec.devices[0].capacity.memory',
  ],
  'the default of a policy': [policy('{ default: lots }'), 'spec.devices[0].capacity.memory.requestPolicy.default'],
  'a valid value': [
    policy('{ validValues: [1Gi, lots] }'),
    'spec.devices[0].capacity.memory.requestPolicy.validValues[1]',
  ],
  'the least of a range': [
    policy('{ validRange: { min: lots } }'),
    'spec.devices[0].capacity.memory.requestPolicy.validRange.min',
  ],
  'what a device takes of counters': [
    slice('devices: [{ name: gpu-0, consumesCounters: [{ counterSet: s, counters: { memory: { value: lots } } }] }]'),
    'spec.devices[0].consumesCounters[0].counters.memory',
  ],
  'a counter': [
    slice('sharedCounters: [{ name: s, counters: { memory: { value: lots } } }]'),
    'spec.sharedCounters[0].counters.memory',
  ],
}
test.each(Object.entries(cases))('%s', async (_name, [manifest, place]) => {
  const { code, stderr } = await runCommand(['simulate', '-', '--ignore-dra-requests=false'], { stdin: manifest })
  expect(stderr).toContain(` ${place}: Invalid value: "lots": quantities must match`)
  expect(code).toBe(1)
})

test('amounts that can be read are no problem', async () => {
  const fine = [
    claim('10Gi'),
    policy('{ default: 1Gi, validRange: { min: 1Gi, step: 1Gi } }'),
    slice('sharedCounters: [{ name: s, counters: { memory: { value: 40Gi } } }]'),
  ]
  const { stderr } = await runCommand(['simulate', '-', '--ignore-dra-requests=false'], { stdin: fine.join('---\n') })
  expect(stderr).not.toContain('Invalid value')
})
