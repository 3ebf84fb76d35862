import type { NodeOverlay } from '../karpenter.ts'
import { quantityErrors, type RuntimeError } from './node-pool.ts'
import { requirementErrors } from './requirements.ts'

/** Resources that scheduling knows of every instance type: an overlay may not set them. GPUs are not among them. */
const wellKnownResources: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'pods',
  'vpc.amazonaws.com/pod-eni',
  'vpc.amazonaws.com/efa',
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'habana.ai/gaudi',
])

/** Why an overlay that was admitted is not applied: reason RuntimeValidation, these joined by "; ". */
export function nodeOverlayErrors(overlay: Pick<NodeOverlay, 'spec'>): RuntimeError[] {
  return [
    ...overlay.spec.requirements.flatMap((requirement, index) => {
      const errors = requirementErrors(requirement, { notInNeedsValue: true })
      return errors.length === 0
        ? []
        : [
            {
              path: `spec.requirements[${index}]`,
              message: `invalid value: ${errors.join('; ')} in requirements, restricted`,
              causes: errors,
            },
          ]
    }),
    ...Object.keys(overlay.spec.capacity ?? {})
      .sort()
      .filter((resource) => wellKnownResources.has(resource))
      .map((resource) => ({
        path: `spec.capacity.${resource}`,
        message: `invalid capacity: ${resource} in resource, restricted`,
      })),
    ...quantityErrors(overlay.spec.capacity, 'spec.capacity', 'capacity'),
  ]
}
