import { parseDuration } from '../duration.ts'
import type { NodePoolTemplate } from '../karpenter.ts'
import type { Taint } from '../kubernetes.ts'
import { hashOf, type HashValue } from './structural-hash.ts'
import { map, plainText, pointerTo, pointerToTime, slice, struct, structUnlessZero } from './values.ts'

export const nodePoolHashVersion = 'v3'

/** The value of karpenter.sh/nodepool-hash: of everything in the template whose change must replace nodes. */
export function nodePoolHash(nodePool: { readonly spec: { readonly template: NodePoolTemplate } }): string {
  return hashOf(templateValue(nodePool.spec.template)).toString()
}

function templateValue({ metadata, spec }: NodePoolTemplate): HashValue {
  return struct('NodeClaimTemplate', {
    ObjectMeta: structUnlessZero(
      struct('ObjectMeta', { Labels: map(metadata?.labels), Annotations: map(metadata?.annotations) }),
    ),
    Spec: structUnlessZero(
      struct('NodeClaimTemplateSpec', {
        Taints: slice(spec.taints, taintValue),
        StartupTaints: slice(spec.startupTaints, taintValue),
        NodeClassRef: pointerTo(spec.nodeClassRef, ({ kind, name, group }) =>
          struct('NodeClassReference', { Kind: plainText(kind), Name: plainText(name), Group: plainText(group) }),
        ),
        TerminationGracePeriod: pointerTo(spec.terminationGracePeriod, (text) => {
          const nanoseconds = nanosecondsOf(text)
          return struct('Duration', {
            Duration: nanoseconds === 0n ? undefined : { kind: 'int64', value: nanoseconds },
          })
        }),
        ExpireAfter: expireAfterValue(spec.expireAfter),
      }),
    ),
  })
}

/** Never and absent are the same; "0s" is a duration and counts. */
function expireAfterValue(text: string | undefined): HashValue | undefined {
  if (text === undefined || text === null || text === 'Never') return undefined
  return struct('NillableDuration', { Duration: { kind: 'int64', value: nanosecondsOf(text) } })
}

function taintValue({ key, value, effect, timeAdded }: Taint): HashValue {
  return struct('Taint', {
    Key: plainText(key),
    Value: plainText(value),
    Effect: plainText(effect),
    TimeAdded: pointerToTime(timeAdded),
  })
}

/** Beyond 64 bits the nearest there is, as everywhere: one such pool must not keep the others from being looked at. */
function nanosecondsOf(text: string): bigint {
  const parsed = parseDuration(text)
  if (parsed.kind !== 'invalid') return parsed.nanoseconds
  if (parsed.nearest === undefined) throw new RangeError(parsed.message)
  return parsed.nearest
}
