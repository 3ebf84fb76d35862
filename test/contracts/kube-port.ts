import { afterAll, beforeAll, describe, test } from 'vitest'
import { namespaces } from '../../src/kube/kinds.ts'
import { customCases, installWidgets } from './kube-port/custom.ts'
import { objectCases } from './kube-port/objects.ts'
import { patchingCases } from './kube-port/patching.ts'
import { podCases } from './kube-port/pods.ts'
import { readingCases } from './kube-port/reading.ts'
import type { PortCase, PortWorld } from './kube-port/world.ts'

export type { PortWorld } from './kube-port/world.ts'

const groups: Readonly<Record<string, Readonly<Record<string, (world: PortCase) => Promise<void>>>>> = {
  objects: objectCases,
  'lists and watches': readingCases,
  patches: patchingCases,
  pods: podCases,
  'custom resources': customCases,
}

/**
 * What every implementation of the Kubernetes port does, in front of every API server: the embedded one, called directly or over HTTPS, and a
 * real kube-apiserver (with or without controllers and scheduler). Each case has a namespace of its own.
 */
export function kubePortContract(name: string, start: () => Promise<PortWorld>): void {
  describe(`the Kubernetes port: ${name}`, () => {
    let world: PortWorld | undefined
    let count = 0
    beforeAll(async () => {
      world = await start()
      await installWidgets(world)
    })
    afterAll(async () => {
      await world?.stop()
    })

    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        test.each(Object.entries(cases))('%s', async (_name, run) => {
          if (world === undefined) throw new Error('the server did not start')
          count += 1
          const namespace = `contract-${count}`
          await world.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
          await run({ ...world, namespace })
        })
      })
    }
  })
}
