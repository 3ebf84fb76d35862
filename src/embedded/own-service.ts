import { type Clock, toTimestamp } from '../model/clock.ts'
import type { Random } from '../model/random.ts'
import { asStored, storeKeyOf } from './apiserver/object.ts'
import type { Store } from './apiserver/store.ts'

/** The first address of the service range that EKS gives. */
const serviceAddress = '172.20.0.1'
/** Where the control plane answers inside the cluster's network. */
const endpointAddress = '10.255.255.1'
const port = 443

const name = 'kubernetes'
const namespace = 'default'

/** The Service under which pods find the API server, with its endpoints: a real server writes them when it starts, and asks nobody. */
export function addOwnService({
  store,
  clock,
  random,
}: {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
}): void {
  const put = (table: string, object: { readonly apiVersion: string; readonly kind: string }, labels: object): void => {
    const key = storeKeyOf(namespace, name)
    if (store.get(table, key) !== undefined) return
    const metadata = { name, namespace, uid: random.uuid(), creationTimestamp: toTimestamp(clock.now()), labels }
    store.put(table, key, asStored({ ...object, metadata }))
  }
  const ports = [{ name: 'https', port, protocol: 'TCP' }]
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    spec: {
      clusterIP: serviceAddress,
      clusterIPs: [serviceAddress],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ ...ports[0], targetPort: port }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    },
    status: { loadBalancer: {} },
  }
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    subsets: [{ addresses: [{ ip: endpointAddress }], ports }],
  }
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    addressType: 'IPv4',
    endpoints: [{ addresses: [endpointAddress], conditions: { ready: true } }],
    ports,
  }
  put('/services', service, { component: 'apiserver', provider: 'kubernetes' })
  put('/endpoints', endpoints, { 'endpointslice.kubernetes.io/skip-mirror': 'true' })
  put('discovery.k8s.io/endpointslices', slice, { 'kubernetes.io/service-name': name })
}
