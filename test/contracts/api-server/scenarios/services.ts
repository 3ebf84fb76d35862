import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { get, namespace, patch, post, put } from '../requests.ts'

const space = 'services'
const path = `/api/v1/namespaces/${space}/services`
const service = (name: string, spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec,
})
const create = (name: string, spec: object): ExchangeRequest =>
  post(path, service(name, { ports: [{ port: 80 }], ...spec }))
const merge = (name: string, spec: object): ExchangeRequest => patch('merge', `${path}/${name}`, { spec })
const selector = { app: 'web' }

export const serviceScenarios: readonly Scenario[] = [
  {
    name: 'services',
    steps: {
      namespace: namespace(space),
      'inside the cluster': create('inside', { selector }),
      'without an address': create('headless', { clusterIP: 'None', selector }),
      'without an address and a selector': create('manual', { clusterIP: 'None' }),
      'on every node': create('nodes', { type: 'NodePort', selector }),
      'on one port of every node': create('port', {
        type: 'NodePort',
        selector,
        ports: [{ port: 80, nodePort: 30_001 }],
      }),
      'behind a load balancer': create('balanced', {
        type: 'LoadBalancer',
        selector,
        sessionAffinity: 'ClientIP',
        ports: [
          { name: 'web', port: 80 },
          { name: 'tls', port: 443, targetPort: 'tls' },
        ],
      }),
      'behind a load balancer that reaches pods': create('direct', {
        type: 'LoadBalancer',
        selector,
        allocateLoadBalancerNodePorts: false,
        loadBalancerClass: 'service.k8s.aws/nlb',
      }),
      'by another name': create('named', { type: 'ExternalName', externalName: 'db.example.com', ports: [] }),
      'an address from elsewhere': create('a', { clusterIP: '1.2.3.4' }),
      'an address that is none': create('a', { clusterIP: 'x' }),
      'a port of nodes that is taken': create('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] }),
      'a port of nodes out of range': create('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
      'an address of another name': create('a', { type: 'ExternalName', externalName: 'a.b', clusterIP: '1.2.3.4' }),
      'a class without a load balancer': create('a', { loadBalancerClass: 'a/b', allocateLoadBalancerNodePorts: true }),
      'families that are not there': create('a', { ipFamilies: ['IPv6'] }),
      'two families': create('a', { ipFamilyPolicy: 'RequireDualStack' }),
      'a family that is none': create('a', { ipFamilies: ['x'], ipFamilyPolicy: 'Any' }),
      'policies that are none': create('a', {
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Any',
        internalTrafficPolicy: 'Any',
        trafficDistribution: 'Any',
        loadBalancerSourceRanges: ['x'],
        ports: [{ port: 80, appProtocol: 'a b' }],
      }),
      'its address changed': merge('inside', { clusterIP: '1.2.3.4' }),
      'its address taken away': merge('inside', { clusterIP: null, clusterIPs: null }),
      'replaced as it was written': put(
        `${path}/nodes`,
        service('nodes', { type: 'NodePort', selector, ports: [{ port: 80 }] }),
      ),
      'to the nodes': merge('inside', { type: 'NodePort' }),
      'to a load balancer': merge('inside', { type: 'LoadBalancer' }),
      'and back': merge('inside', { type: 'ClusterIP' }),
      'to another name': merge('inside', { type: 'ExternalName', externalName: 'a.b' }),
      'the class changed': merge('direct', { loadBalancerClass: 'a/b' }),
      'the address of a headless one': merge('headless', { clusterIP: '1.2.3.4' }),
      'read again': get(`${path}/inside`),
    },
  },
]
