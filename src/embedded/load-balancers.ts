import { type Controller, done, requeueAfter, source } from '../kube/controller.ts'
import { services } from '../kube/kinds.ts'
import { keyOf } from '../kube/resource.ts'
import { parseTimestamp } from '../model/clock.ts'
import type { EmbeddedDeps } from './deps.ts'
import { patchStatus } from './workloads/patch-status.ts'

/** From the creation of a Service until its load balancer has a name; a real one takes some minutes until it answers, too. */
const provisionMs = 5_000

/** Gives Services of type LoadBalancer the name of one, as EKS does; those with a class are for somebody else. Nothing answers there. */
export function createLoadBalancerController(deps: EmbeddedDeps, region: string): Controller {
  const { caches, clock } = deps
  return {
    name: 'embedded.loadbalancer',
    sources: [source(services, ({ after }) => (after === undefined ? [] : [keyOf(after)]))],
    concurrency: 1,
    async reconcile(key) {
      const service = caches.of(services).get(key)
      if (service === undefined || service.metadata.deletionTimestamp !== undefined) return done
      const { type, loadBalancerClass } = service.spec
      if (loadBalancerClass !== undefined) return done
      const wanted = type === 'LoadBalancer'
      if (wanted === (service.status?.loadBalancer?.ingress ?? []).length > 0) return done
      const wait = (parseTimestamp(service.metadata.creationTimestamp) ?? 0) + provisionMs - clock.now()
      if (wanted && wait > 0) return requeueAfter(wait)
      const hostname = `a${service.metadata.uid.replaceAll('-', '')}.elb.${region}.amazonaws.com`
      await patchStatus(deps, services, service, { loadBalancer: { ingress: wanted ? [{ hostname }] : null } })
      return done
    },
  }
}
