import { caseObject } from '../../../support/api-cases.ts'
import { bodyAt, type Scenario } from '../exchange.ts'
import { get, patch, post, put, remove } from '../requests.ts'

const pools = '/apis/karpenter.sh/v1/nodepools'
const claims = '/apis/karpenter.sh/v1/nodeclaims'
const classes = '/apis/karpenter.k8s.aws/v1/ec2nodeclasses'

/** Needs the CRDs of `manifests/crds`. */
export const customResourceScenarios: readonly Scenario[] = [
  {
    name: 'custom-resources',
    steps: {
      'create with defaults': post(pools, caseObject('NodePool', {}, 'cr-a')),
      'create with unknown fields': post(`${pools}?fieldValidation=Warn`, {
        ...caseObject('NodePool', { color: 'red', 'template.spec.size': 1 }, 'cr-b'),
        status: { nodes: 7 },
      }),
      'refuse unknown fields': post(
        `${pools}?fieldValidation=Strict`,
        caseObject('NodePool', { color: 'red' }, 'cr-c'),
      ),
      'fields below kubelet are kept': post(
        `${classes}?fieldValidation=Strict`,
        caseObject('EC2NodeClass', { kubelet: { maxPods: 10, anything: { deep: true } } }, 'cr-a'),
      ),
      'a wrong type': post(pools, caseObject('NodePool', { weight: '10' }, 'cr-c')),
      'nothing but a name': post(pools, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'cr-c' },
      }),
      'another version': post(pools, { ...caseObject('NodePool', {}, 'cr-c'), apiVersion: 'karpenter.sh/v1beta1' }),
      'several mistakes at once': post(
        pools,
        caseObject(
          'NodePool',
          { weight: 0, 'template.spec.expireAfter': '1d', 'template.spec.taints': [{ effect: 'x' }] },
          'cr-c',
        ),
      ),
      'a spec change is a new generation': patch('merge', `${pools}/cr-a`, { spec: { weight: 5 } }),
      'a label is not': patch('merge', `${pools}/cr-a`, { metadata: { labels: { a: 'b' } } }),
      'a null takes the default': patch('merge', `${pools}/cr-a`, { spec: { disruption: null } }),
      'status through the object is ignored': patch('merge', `${pools}/cr-a`, { status: { nodes: 9 } }),
      'status through its subresource': patch('merge', `${pools}/cr-a/status`, {
        spec: { weight: 9 },
        metadata: { labels: { c: 'd' } },
        status: {
          nodes: 3,
          conditions: [
            { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: '2026-01-02T03:04:05Z' },
          ],
        },
      }),
      'a status that does not fit': patch('merge', `${pools}/cr-a/status`, {
        status: { conditions: [{ type: 'Ready' }] },
      }),
      'strategic merge is not for these': patch('strategic', `${pools}/cr-a`, { spec: { weight: 6 } }),
      'a json patch': patch('json', `${pools}/cr-a`, [{ op: 'replace', path: '/spec/weight', value: 7 }]),
      'a json patch to a refused value': patch('json', `${pools}/cr-a`, [
        { op: 'replace', path: '/spec/weight', value: 700 },
      ]),
      'apply it': patch('apply', `${pools}/cr-d?fieldManager=git`, caseObject('NodePool', { weight: 3 }, 'cr-d')),
      'apply without the weight': patch('apply', `${pools}/cr-d?fieldManager=git`, caseObject('NodePool', {}, 'cr-d')),
      'apply against another manager': patch('apply', `${pools}/cr-d?fieldManager=other`, {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'cr-d' },
        spec: { template: { spec: { expireAfter: '1h', nodeClassRef: { name: 'other' } } } },
      }),
      'replace without version': put(`${pools}/cr-a`, caseObject('NodePool', {}, 'cr-a')),
      'replace with its version': (bodies) =>
        put(
          `${pools}/cr-a`,
          caseObject(
            'NodePool',
            { 'metadata.resourceVersion': bodyAt(bodies, 15).metadata.resourceVersion, weight: 8 },
            'cr-a',
          ),
        ),
      'its scale': get(`${pools}/cr-a/scale`),
      'make it static by its scale': patch('merge', `${pools}/cr-a/scale`, { spec: { replicas: 2 } }),
      'a claim with a generated name': post(claims, {
        ...caseObject('NodeClaim', {}),
        metadata: { generateName: 'cr-', finalizers: ['karpenter.sh/termination'], labels: { app: 'cr' } },
      }),
      'by a field that has no selector': get(`${claims}?fieldSelector=status.nodeName%3Dn1`),
      'list claims': get(`${claims}?labelSelector=app%3Dcr`),
      'delete the claim': (bodies) => remove(`${claims}/${bodyAt(bodies, 24).metadata.name}`),
      'release the claim': (bodies) =>
        patch('merge', `${claims}/${bodyAt(bodies, 24).metadata.name}`, { metadata: { finalizers: null } }),
      'delete a pool': remove(`${pools}/cr-b`, { propagationPolicy: 'Foreground' }),
      'it waits for its dependents': get(`${pools}/cr-b`),
      'a pool that is not there': get(`${pools}/none`),
      'no such subresource': get(`${claims}/none/scale`),
      'finalizers of every kind of name': post(classes, {
        ...caseObject('EC2NodeClass', {}, 'cr-b'),
        metadata: { name: 'cr-b', finalizers: ['hold', 'orphan', 'example.com/hold'] },
      }),
      'another finalizer without a domain': patch('merge', `${classes}/cr-b`, {
        metadata: { finalizers: ['hold', 'keep'] },
      }),
      'a change beside the finalizers': patch('merge', `${classes}/cr-b`, { metadata: { labels: { a: 'b' } } }),
      'a finalizer that is no name': patch('merge', `${classes}/cr-b`, { metadata: { finalizers: ['a b'] } }),
    },
  },
]
