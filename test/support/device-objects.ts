import type {
  Device,
  DeviceClass,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ResourceClaim,
  ResourceSlice,
} from '../../src/api/kubernetes.ts'
import type { DeviceTemplate, TemplateDevice } from '../../src/model/instance-type.ts'
import type { DeviceObjects } from '../../src/model/snapshot.ts'
import { metadata } from './scheduling-objects.ts'

/** Builders of resource.k8s.io objects: one driver, one class of all its devices. */

export const driver = 'gpu.example.com'

export function devices(count: number, spec: Partial<TemplateDevice> = {}, prefix = 'gpu'): TemplateDevice[] {
  return Array.from({ length: count }, (_, i) => ({ name: `${prefix}-${i}`, ...spec }))
}

/** What a type's nodes will have. */
export function aTemplate(list: readonly TemplateDevice[], rest: Partial<DeviceTemplate> = {}): DeviceTemplate {
  return { driver, devices: list, ...rest }
}

export function aSlice(
  name: string,
  list: readonly Device[],
  spec: Partial<Omit<ResourceSlice['spec'], 'pool'>> & { readonly pool?: Partial<ResourceSlice['spec']['pool']> } = {},
): ResourceSlice {
  const { pool, ...rest } = spec
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: metadata(name),
    spec: {
      driver,
      pool: { name, generation: 1, resourceSliceCount: 1, ...pool },
      devices: [...list],
      ...rest,
    },
  }
}

export function aDeviceClass(name = 'gpu', ...expressions: string[]): DeviceClass {
  const selectors = (expressions.length === 0 ? [`device.driver == '${driver}'`] : expressions).map((expression) => ({
    cel: { expression },
  }))
  return { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: metadata(name), spec: { selectors } }
}

/** A request for exactly one device of class `gpu`, unless it says otherwise. */
export function aRequest(
  asked: Partial<DeviceSubRequest> & { readonly name?: string; readonly adminAccess?: boolean } = {},
): DeviceRequest {
  const { name = 'main', ...rest } = asked
  return { name, exactly: { deviceClassName: 'gpu', ...rest } }
}

export interface ClaimOptions {
  readonly requests?: DeviceRequest[]
  readonly constraints?: DeviceConstraint[]
  readonly allocation?: NonNullable<ResourceClaim['status']>['allocation']
  /** UIDs of pods. */
  readonly reservedFor?: readonly string[]
}

export function aResourceClaim(name: string, options: ClaimOptions = {}): ResourceClaim {
  const { requests = [aRequest()], constraints, allocation, reservedFor = [] } = options
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: metadata(name, 'default'),
    spec: { devices: { requests, ...(constraints === undefined ? {} : { constraints }) } },
    ...(allocation === undefined
      ? {}
      : {
          status: { allocation, reservedFor: reservedFor.map((uid) => ({ resource: 'pods', name: uid, uid })) },
        }),
  }
}

export function allocated(
  pool: string,
  ...names: string[]
): NonNullable<NonNullable<ResourceClaim['status']>['allocation']> {
  return { devices: { results: names.map((device) => ({ request: 'main', driver, pool, device })) } }
}

export function deviceObjects(
  claims: readonly ResourceClaim[],
  slices: readonly ResourceSlice[] = [],
  classes: readonly DeviceClass[] = [aDeviceClass()],
): DeviceObjects {
  return {
    claims: new Map(claims.map((claim) => [`${claim.metadata.namespace}/${claim.metadata.name}`, claim])),
    classes: new Map(classes.map((one) => [one.metadata.name, one])),
    slices,
  }
}
