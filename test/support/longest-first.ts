import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a minute or more, the longest first. One that starts last keeps the other workers waiting for it. */
export const longest = [
  'simulation/found-seeds/rollouts',
  'simulation/found-seeds/plain-days',
  'scenarios/demo/demo',
  'simulation/faults',
  'peers/kubernetes/operator',
  'peers/kubernetes/rollout',
  'peers/karpenter/moving',
  'peers/kubernetes/disturbance',
  'peers/kubernetes/promise',
  'peers/karpenter/decisions',
  'peers/moto/faults',
  'peers/moto/scarcity',
  'peers/packaging/documented-install',
  'peers/moto/operator',
  'peers/kubernetes/rivals',
].map((name) => `/test/${name}.test.ts`)

/** Vitest begins with the largest files where it has not run them before, and knows better only then. */
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
