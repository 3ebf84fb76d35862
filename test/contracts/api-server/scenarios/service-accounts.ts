import type { Scenario } from '../exchange.ts'
import { get, pod, post } from '../requests.ts'

const pods = '/api/v1/namespaces/default/pods'
/** Without the volume that would hold a token. */
const plain = { automountServiceAccountToken: false }

export const serviceAccountScenarios: readonly Scenario[] = [
  {
    name: 'service-accounts',
    serviceAccounts: 'admitted',
    steps: {
      'the account of a namespace': get('/api/v1/namespaces/default/serviceaccounts/default'),
      'a pod that names none': post(pods, pod('as-default', plain)),
      'a pod that names one that is not there': post(
        pods,
        pod('as-nobody', { ...plain, serviceAccountName: 'nobody' }),
      ),
      'an account': post('/api/v1/namespaces/default/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'builder' },
      }),
      'a pod that names it': post(pods, pod('as-builder', { ...plain, serviceAccountName: 'builder' })),
      'pods by their account': get(`${pods}?fieldSelector=spec.serviceAccountName%3Dbuilder`),
    },
  },
]
