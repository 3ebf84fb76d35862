import type { Taint } from '../../api/kubernetes.ts'
import type { TemplateDevice } from '../../model/instance-type.ts'

/** Effects that do not keep anybody away do not count. */
export function taintsOf({ taints = [] }: TemplateDevice): readonly Taint[] {
  return taints.flatMap(({ key, value, effect }) =>
    effect === 'NoSchedule' || effect === 'NoExecute'
      ? [{ key, effect, ...(value === undefined ? {} : { value }) }]
      : [],
  )
}
