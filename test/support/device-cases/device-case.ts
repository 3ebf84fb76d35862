import type { ResourceClaim, ResourceSlice } from '../../../src/api/kubernetes.ts'
import { aDeviceClass, aResourceClaim, type ClaimOptions, deviceObjects, driver } from '../device-objects.ts'
import { aNode, aPod } from '../scheduling-world.ts'
import { solveWorld, whereabouts } from '../solving.ts'

/** One node, what its drivers publish, and the claims of one pod that may only run there. */
export interface DeviceCase {
  readonly slices: readonly ResourceSlice[]
  readonly claims: readonly ClaimOptions[]
  /** Names of the pod's claims by position, where they are not each one's own. */
  readonly uses?: readonly number[]
  /** What others hold. */
  readonly held?: readonly NonNullable<ClaimOptions['allocation']>[]
  /** The devices do not suffice; elsewhere the pod can run on the node. */
  readonly refused?: true
}

/** Whether our solver finds the pod's devices on the node. */
export function isPlaced(id: string, given: DeviceCase): boolean {
  const { claimNames, claims, slices, classes } = worldOf(id, given)
  const placement = solveWorld(
    {
      types: [],
      nodes: [aNode({ name: id, labels: { case: id } })],
      pods: [aPod({ name: 'pod', resourceClaims: claimNames.map(namedClaim) })],
      devices: deviceObjects(claims, slices, classes),
    },
    { settings: { ignoreDRA: false } },
  )
  return whereabouts(placement)['pod'] === id
}

/** As a pod names it. */
export function namedClaim(resourceClaimName: string, index: number) {
  return { name: `claim-${index}`, resourceClaimName }
}

export type DeviceWorld = ReturnType<typeof worldOf>

/** The case's objects; `id` is the name of its node and part of all other names, so that no case is in another's way. */
export function worldOf(id: string, { slices, claims, uses = claims.map((_, index) => index), held = [] }: DeviceCase) {
  const ownDriver = (name: string) => (name === driver ? `${id}.${driver}` : `${id}.${name}`)
  const text = <T>(value: T): T => JSON.parse(JSON.stringify(value).replaceAll(driver, ownDriver(driver))) as T
  const className = (name: string) => `${id}-${name}`
  const pool = (name: string) => `${id}-${name}`
  return {
    slices: slices.map((slice): ResourceSlice => {
      const { spec, metadata } = text(slice)
      return {
        ...slice,
        metadata: { ...metadata, name: `${id}-${metadata.name}` },
        spec: {
          ...spec,
          driver: spec.driver.startsWith(id) ? spec.driver : ownDriver(spec.driver),
          ...(spec.nodeName === undefined
            ? {}
            : { nodeName: spec.nodeName === 'node' ? id : `${id}-${spec.nodeName}` }),
          pool: { ...spec.pool, name: pool(spec.pool.name) },
          ...(spec.devices === undefined
            ? {}
            : {
                devices: spec.devices.map((device) =>
                  device.nodeName === undefined
                    ? device
                    : { ...device, nodeName: device.nodeName === 'node' ? id : `${id}-${device.nodeName}` },
                ),
              }),
        },
      }
    }),
    classes: [aDeviceClass(className('gpu'), `device.driver.startsWith("${id}.")`)],
    claims: [
      ...claims.map((options, index): ResourceClaim => {
        const claim = text(aResourceClaim(`${id}-${index}`, options))
        for (const request of claim.spec.devices?.requests ?? []) {
          for (const asked of [request.exactly, ...(request.firstAvailable ?? [])]) {
            if (asked !== undefined) asked.deviceClassName = className(asked.deviceClassName)
          }
        }
        for (const result of claim.status?.allocation?.devices?.results ?? []) result.pool = pool(result.pool)
        return claim
      }),
      ...held.map((allocation, index): ResourceClaim => {
        const claim = text(aResourceClaim(`${id}-held-${index}`, { allocation, reservedFor: ['somebody'] }))
        for (const result of claim.status?.allocation?.devices?.results ?? []) result.pool = pool(result.pool)
        for (const request of claim.spec.devices?.requests ?? []) {
          if (request.exactly !== undefined) request.exactly.deviceClassName = className('gpu')
        }
        return claim
      }),
    ],
    claimNames: uses.map((index) => `${id}-${index}`),
  }
}
