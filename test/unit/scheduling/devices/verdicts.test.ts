import { expect, test } from 'vitest'
import { type DeviceCase, deviceCases, refusedCases, whilePublished, worldOf } from '../../../support/device-cases.ts'
import { deviceObjects } from '../../../support/device-objects.ts'
import { aNode, aPod } from '../../../support/scheduling-world.ts'
import { solveWorld, whereabouts } from '../../../support/solving.ts'

/** That kube-scheduler says the same, test/peers/kubernetes/devices.test.ts proves. */

function isPlaced(given: DeviceCase): boolean {
  const { claimNames, claims, slices, classes } = worldOf('n1', given)
  const placement = solveWorld(
    {
      types: [],
      nodes: [aNode({ name: 'n1', labels: { case: 'n1' } })],
      pods: [
        aPod({
          name: 'pod',
          resourceClaims: claimNames.map((resourceClaimName, i) => ({ name: `claim-${i}`, resourceClaimName })),
        }),
      ],
      devices: deviceObjects(claims, slices, classes),
    },
    { settings: { ignoreDRA: false } },
  )
  return whereabouts(placement)['pod'] === 'n1'
}

test.each(Object.entries(deviceCases))('%s', (name, given) => {
  expect(isPlaced(given)).toBe(!refusedCases.has(name))
})

test.each(Object.entries(whilePublished))('%s: the pod waits for the devices of the node', (_name, given) => {
  expect(isPlaced(given)).toBe(true)
})
