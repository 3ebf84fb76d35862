import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or more, the longest first. One that starts last keeps the others' workers waiting for it. */
const longest = [
  'peers/kubernetes/operator',
  'peers/kubernetes/rollout',
  'peers/karpenter/moving',
  'peers/kubernetes/disturbance',
  'peers/karpenter/decisions',
  'peers/kubernetes/promise',
  'peers/kubernetes/rivals',
  'peers/moto/faults',
  'peers/moto/scarcity',
  'peers/moto/operator',
  'peers/kubernetes/startup',
  'simulation/found-seeds/rollouts',
  'simulation/found-seeds/plain-days',
  'scenarios/demo/demo',
  'simulation/faults',
].map((name) => `/test/${name}.test.ts`)

/** Vitest itself knows how long files take only where it has run them before. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(name))
  return rank === -1 ? longest.length : rank
}
