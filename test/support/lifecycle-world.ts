import { type RegistrationHealth, nodeClaimLifecycle } from '../../src/controllers/nodeclaim/index.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { aClaim, conditionOf } from './controller-builders.ts'
import { type ControllerWorld, aControllerWorld } from './controller-world.ts'

export const claimKey = { name: 'c1' }
export const nodeKey = { name: 'n1' }

function recordingHealth() {
  const outcomes: string[] = []
  const health: RegistrationHealth = {
    recordSuccess: async (claim) => void outcomes.push(`success ${claim.metadata.name}`),
    recordFailure: async (claim) => void outcomes.push(`failure ${claim.metadata.name}`),
  }
  return { outcomes, health }
}

export async function aLifecycleWorld(
  more: { health?: RegistrationHealth; announce?: (claim: string) => Promise<void> } = {},
) {
  const world = aControllerWorld()
  const { outcomes, health } = recordingHealth()
  const controller = nodeClaimLifecycle({ ...world, health, ...more })
  return { world, outcomes, controller, start: () => world.start(controller) }
}

export async function launched(spec: Parameters<typeof aClaim>[1] = {}) {
  const setup = await aLifecycleWorld()
  await setup.world.kube.create(nodeClaims, aClaim('c1', spec))
  await setup.start()
  await setup.world.run(3_000)
  return setup
}

export const conditionIn = async (world: ControllerWorld, type: string) =>
  conditionOf(await world.read(nodeClaims, claimKey), type)
