import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { leases, nodes } from '../../kube/kinds.ts'
import { toMicroTimestamp } from '../../model/clock.ts'
import { instanceIDOf, isSilent, type NodeAgentDeps } from './node-agent.ts'

/** A quarter of how long a lease lasts, as kubelets have it. */
const renewEveryMs = 10_000

/** The part of each machine's kubelet that renews the lease of its Node, which real control planes and people look at. */
export function createLeaseAgent(deps: NodeAgentDeps): Controller {
  const { caches, client, clock } = deps
  return {
    name: 'embedded.kubelet.lease',
    sources: [source(nodes, ({ before, after }) => (before === undefined ? [{ name: after.metadata.name }] : []))],
    concurrency: 10,
    async reconcile({ name }) {
      const node = caches.of(nodes).get({ name })
      if (node === undefined) return done
      const hasKubelet = instanceIDOf(node.spec.providerID) !== undefined
      if (hasKubelet && !isSilent(deps, node)) {
        const body = { spec: { renewTime: toMicroTimestamp(clock.now()) } }
        try {
          await client.patch(leases, { namespace: 'kube-node-lease', name }, { kind: 'merge', body })
        } catch (error) {
          // A node that goes away takes its lease along; a new one gets it a moment later.
          if (!isNotFound(error)) throw error
        }
      }
      return requeueAfter(renewEveryMs)
    },
  }
}
