import { requeueAfter, type SingletonController } from '../../kube/controller.ts'
import type { AWSControllerDeps } from './deps.ts'

const minute = 60_000
const hour = 60 * minute

/** The cluster's Kubernetes version, which decides about images. */
export function versionController({ cloud }: Pick<AWSControllerDeps, 'cloud'>): SingletonController {
  return {
    name: 'providers.version',
    async reconcile() {
      await cloud.version.update()
      return requeueAfter(5 * minute)
    },
  }
}

/** Prices of spot and on-demand instances. */
export function pricingController({ cloud }: Pick<AWSControllerDeps, 'cloud'>): SingletonController {
  return {
    name: 'providers.pricing',
    async reconcile() {
      await cloud.pricing.update()
      return requeueAfter(12 * hour)
    },
  }
}

/** Which instance types there are, and where. */
export function instanceTypeController({ cloud }: Pick<AWSControllerDeps, 'cloud'>): SingletonController {
  return {
    name: 'providers.instancetype',
    async reconcile() {
      const { catalogue } = cloud
      const before = catalogue.version
      try {
        await catalogue.update()
      } finally {
        if (catalogue.version !== before) cloud.instanceTypes.flush()
      }
      return requeueAfter(12 * hour)
    },
  }
}

/**
 * A parameter whose image is deprecated has moved on, and so has one whose image is gone: AWS takes back a release that harms. It is read
 * again before its day is over.
 */
export function ssmInvalidationController({ cloud }: Pick<AWSControllerDeps, 'cloud'>): SingletonController {
  return {
    name: 'providers.ssm.invalidation',
    async reconcile({ log }) {
      const parameters = cloud.ssm.mutableValues()
      const images = await cloud.amis.describe([...new Set(parameters.map((parameter) => parameter.value))])
      const current = new Set(images.filter((image) => !image.deprecated).map((image) => image.id))
      for (const { name, value } of parameters) {
        if (current.has(value)) continue
        cloud.ssm.invalidate(name)
        log.debug({ parameter: name, id: value }, 'invalidated ssm parameter of an ami that is deprecated or gone')
      }
      return requeueAfter(30 * minute)
    },
  }
}
