import type { Container, Pod, PodTemplateSpec, Unsaved } from '../../api/kubernetes.ts'
import type { Job } from './job-kind.ts'
import { podFrom } from './pods.ts'

const indexKey = 'batch.kubernetes.io/job-completion-index'

/** Each completion of such a job is a piece of work of its own, with a number. */
export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed'
}

/** NaN for a pod of nobody's making. */
function indexOf({ metadata }: Pod): number {
  return Number(metadata.annotations?.[indexKey] ?? Number.NaN)
}

/** The numbers that are done: those that the status tells of, and those of pods that have succeeded since. */
export function completedIndexes({ spec, status }: Job, succeeded: readonly Pod[]): readonly number[] {
  const known = new Set(parseIndexes(status?.completedIndexes ?? ''))
  for (const pod of succeeded) known.add(indexOf(pod))
  return [...known].filter((index) => index < (spec.completions ?? 0)).sort((a, b) => a - b)
}

/** The lowest numbers that are neither done nor under way. */
export function missingIndexes(
  { spec }: Job,
  {
    completed,
    taken,
    count,
  }: { readonly completed: readonly number[]; readonly taken: readonly Pod[]; readonly count: number },
): readonly number[] {
  const others = new Set([...completed, ...taken.map(indexOf)])
  const missing: number[] = []
  for (let index = 0; index < (spec.completions ?? 0) && missing.length < count; index += 1) {
    if (!others.has(index)) missing.push(index)
  }
  return missing
}

/** The pod with a number, which its containers are told. */
export function indexedPod(job: Job, index: number): Unsaved<Pod> {
  const { template } = job.spec
  const told = {
    name: 'JOB_COMPLETION_INDEX',
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexKey}']` } },
  }
  const tell = (container: Container): Container => ({
    ...container,
    env: [...(container.env ?? []).filter(({ name }) => name !== told.name), told],
  })
  const name = `${job.metadata.name}-${index}`
  const { containers, initContainers } = template.spec
  const numbered: PodTemplateSpec = {
    metadata: {
      ...template.metadata,
      annotations: { ...template.metadata?.annotations, [indexKey]: String(index) },
    },
    spec: {
      ...template.spec,
      hostname: name,
      containers: containers.map(tell),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(tell) }),
    },
  }
  return podFrom(job, numbered, { generateName: `${name}-`, labels: { [indexKey]: String(index) } })
}

/** `1,3-5,7`, as the status has it. */
export function formatIndexes(indexes: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const index of indexes) {
    const last = ranges.at(-1)
    if (last?.[1] === index - 1) last[1] = index
    else ranges.push([index, index])
  }
  return ranges
    .map(([from, to]) => (from === to ? String(from) : `${from}${to === from + 1 ? ',' : '-'}${to}`))
    .join(',')
}

function parseIndexes(text: string): readonly number[] {
  return text
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, offset) => from + offset)
    })
}
