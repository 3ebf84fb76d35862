import { conditionOf } from '../../api/conditions.ts'
import type { Node } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes } from '../../kube/kinds.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { EmbeddedDeps } from '../deps.ts'

/** Something that gets a node ready for pods, e.g. a network plugin, and removes the startup taint that says so. */
export interface TaintAgent {
  readonly taintKey: string
  /** From Ready to the removal. */
  readonly afterMs: number
}

export function createTaintAgentController(deps: EmbeddedDeps, agents: readonly TaintAgent[]): Controller {
  const { caches, client, clock } = deps
  return {
    name: 'embedded.taint-agents',
    sources:
      agents.length === 0
        ? []
        : [source(nodes, ({ after }) => (after === undefined ? [] : [{ name: after.metadata.name }]))],
    concurrency: 1,
    async reconcile(key) {
      const node = caches.of(nodes).get(key)
      const readyAt = node === undefined ? undefined : readySince(node)
      if (node === undefined || readyAt === undefined) return done
      const present = agents.filter(
        ({ taintKey }) => node.spec.taints?.some(({ key: held }) => held === taintKey) === true,
      )
      const due = present.filter(({ afterMs }) => readyAt + afterMs <= clock.now())
      if (due.length > 0) {
        const taints = node.spec.taints?.filter(({ key: held }) => !due.some(({ taintKey }) => taintKey === held)) ?? []
        const body = { metadata: { resourceVersion: node.metadata.resourceVersion }, spec: { taints } }
        try {
          await client.patch(nodes, key, { kind: 'merge', body })
        } catch (error) {
          if (isNotFound(error)) return done
          if (isConflict(error)) return requeueAfter(100)
          throw error
        }
      }
      const waits = present.map(({ afterMs }) => readyAt + afterMs - clock.now()).filter((wait) => wait > 0)
      return waits.length === 0 ? done : requeueAfter(Math.min(...waits))
    },
  }
}

function readySince(node: Node): number | undefined {
  const ready = conditionOf(node, 'Ready')
  return ready?.status === 'True' ? parseTimestamp(ready.lastTransitionTime) : undefined
}
