import type { EC2NodeClass, EC2NodeClassSpec } from '../../src/api/karpenter.ts'
import type { Condition, ObjectMeta } from '../../src/api/kubernetes.ts'
import { type NodeClassController, nodeClassController } from '../../src/controllers/nodeclass/controller.ts'
import type { NodeClassDeps } from '../../src/controllers/nodeclass/deps.ts'
import { ec2NodeClasses } from '../../src/kube/karpenter-kinds.ts'
import { aNodeClass, anAWSWorld, type AWSWorld, type AWSWorldOptions } from './aws-world.ts'

export interface NodeClassWorld extends AWSWorld {
  readonly controller: NodeClassController
  readonly deps: NodeClassDeps
  create(spec?: Partial<EC2NodeClassSpec>, metadata?: Partial<ObjectMeta>): Promise<void>
  change(spec: object, generation: number, metadata?: object): Promise<void>
  read(): Promise<EC2NodeClass>
  condition(type: string): Promise<Pick<Condition, 'status' | 'reason' | 'message'> | undefined>
  run(ms: number): Promise<void>
}

/** The NodeClass controller at work; nothing else. */
export async function aNodeClassWorld(options: AWSWorldOptions = {}): Promise<NodeClassWorld> {
  const world = await anAWSWorld({ types: ['m5.large', 'm6g.large'], ...options })
  const deps: NodeClassDeps = {
    kube: world.kube,
    caches: world.caches,
    clock: world.clock,
    recorder: world.recorder,
    cloud: world.cloud,
    clients: world.aws.clients,
    settings: world.settings,
    gates: world.gates,
  }
  const controller = nodeClassController(deps, world.log)
  await world.world.start(controller)
  const key = { name: 'default' }
  const run = (ms: number): Promise<void> => world.world.run(ms)
  const read = (): Promise<EC2NodeClass> => world.world.read(ec2NodeClasses, key)
  return {
    ...world,
    controller,
    deps,
    run,
    read,
    create: async (spec, metadata) => {
      const { status: _none, ...object } = aNodeClass(spec, { metadata: { ...metadata } })
      await world.kube.create(ec2NodeClasses, object)
      await run(2_000)
    },
    change: async (spec, generation, metadata = {}) => {
      await world.kube.patch(ec2NodeClasses, key, {
        kind: 'merge',
        body: { metadata: { generation, ...metadata }, spec },
      })
      await run(2_000)
    },
    condition: async (type) => {
      const found = (await read()).status?.conditions?.find((condition) => condition.type === type)
      if (found === undefined) return undefined
      const { status, reason = '', message = '' } = found
      return { status, reason, message }
    },
  }
}
