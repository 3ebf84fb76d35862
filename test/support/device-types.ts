import { aTemplate, devices } from './device-objects.ts'
import { aType } from './scheduling-world.ts'

/** A type that says nothing of devices, and two that bring some. */
export const plain = aType({ name: 'plain', cpu: '8', memory: '16Gi', pods: '20' })
export const gpu2 = aType({
  name: 'gpu2',
  cpu: '8',
  memory: '16Gi',
  pods: '20',
  deviceTemplates: [aTemplate(devices(2))],
})
export const gpu4 = aType({
  name: 'gpu4',
  cpu: '16',
  memory: '32Gi',
  pods: '20',
  deviceTemplates: [aTemplate(devices(4))],
})
