import type { KindDefinition } from './definition.ts'
import { admissionKinds } from './kinds-admission.ts'
import { clusterKinds } from './kinds-cluster.ts'
import { coreKinds } from './kinds-core.ts'
import { eventKinds } from './kinds-event.ts'
import { otherKinds } from './kinds-other.ts'
import { podKind } from './kinds-pod.ts'
import { workloadKinds } from './kinds-workloads.ts'
import { type BuiltinKind, defineKind } from './kind.ts'

const declared: readonly BuiltinKind[] = [
  podKind,
  ...coreKinds,
  ...eventKinds,
  ...workloadKinds,
  ...otherKinds,
  ...admissionKinds,
  ...clusterKinds,
]

export function builtinDefinitions(): readonly KindDefinition[] {
  return declared.map(defineKind)
}
