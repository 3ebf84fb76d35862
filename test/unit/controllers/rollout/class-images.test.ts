import { expect, test } from 'vitest'
import type { EC2NodeClass } from '../../../../src/api/karpenter.ts'
import { carryOut } from '../../../../src/controllers/rollout/carry-out.ts'
import { ClassImages } from '../../../../src/controllers/rollout/class-images.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { ec2NodeClasses, nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aClaim, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { countPatches, deafen } from '../../../support/lagging-cache.ts'
import { plainPolicy as policy } from '../../../support/rollout-fleet.ts'

/** Classes with one set of images in their history. */
async function classesOf(...names: readonly string[]) {
  const world = aControllerWorld()
  const { kube, caches } = world
  const images = [{ id: 'ami-1', name: 'one' }]
  for (const name of names) {
    const nodeClass: EC2NodeClass = {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { amiSelectorTerms: [{ id: 'ami-1' }], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
      status: { imageHistory: [{ revision: 1, images, firstSeen: '2026-01-01T00:00:00Z', outcome: 'unknown' }] },
    }
    await kube.create(ec2NodeClasses, nodeClass)
  }
  caches.of(ec2NodeClasses)
  await world.start()
  await world.run(1_000)
  const outcomeOf = async (name: string) =>
    (await world.read(ec2NodeClasses, { name })).status?.imageHistory?.[0]?.outcome
  const verdicts = names.map((nodeClass) => ({ nodeClass, images: ['ami-1'], outcome: 'good' as const }))
  return { ...world, classes: new ClassImages({ kube, caches }), result: { rollbacks: [], verdicts }, outcomeOf }
}

test('what was found out of images is written once, however long the cache of the class is behind', async () => {
  const { classes, result, outcomeOf, ...world } = await classesOf('default')
  deafen(world, ec2NodeClasses)
  const writes = countPatches(world, ec2NodeClasses)
  for (let look = 0; look < 5; look += 1) expect(await classes.write(result)).toBe(true)
  expect(writes()).toBe(1)
  expect(await outcomeOf('default')).toBe('good')
})

test('a class whose status may not be written is told, and the others learn what was found out of their images', async () => {
  const { classes, result, outcomeOf, kube } = await classesOf('a', 'b')
  kube.fault = ({ operation, name }) => {
    if (operation === 'patch' && name === 'a') throw new KubeError('Invalid', 422, 'spec.role: Invalid value')
  }
  await expect(classes.write(result)).rejects.toThrow('spec.role: Invalid value')
  expect([await outcomeOf('a'), await outcomeOf('b')]).toEqual(['unknown', 'good'])
})

test('a claim that may not be deleted keeps no class from what was found out of its images', async () => {
  const { classes, result, outcomeOf, ...world } = await classesOf('default')
  world.caches.of(nodeClaims)
  await world.kube.create(nodeClaims, aClaim('dud', { status: { conditions: [trueCondition('Launched')] } }))
  await world.run(1_000)
  world.kube.fault = ({ operation }) => {
    if (operation === 'delete') throw new KubeError('Forbidden', 403, 'no')
  }
  const carriedOut = carryOut(world, classes, policy, { ...result, discards: ['dud'] }, world.log)
  await expect(carriedOut).rejects.toThrow('no')
  expect(await outcomeOf('default')).toBe('good')
})
