import type { Scenario } from '../exchange.ts'
import { get, namespace, patch, post } from '../requests.ts'

const space = 'autoscalers'
const at = (version: string): string => `/apis/autoscaling/${version}/namespaces/${space}/horizontalpodautoscalers`
const kind = 'HorizontalPodAutoscaler'
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const older = (name: string, spec: object): object => ({
  apiVersion: 'autoscaling/v1',
  kind,
  metadata: { name },
  spec: { scaleTargetRef, maxReplicas: 3, ...spec },
})

export const autoscalerScenarios: readonly Scenario[] = [
  {
    name: 'autoscalers',
    steps: {
      namespace: namespace(space),
      'in the older version': post(at('v1'), older('older', { targetCPUUtilizationPercentage: 60 })),
      'what it is in the newer': get(`${at('v2')}/older`),
      'that says little': post(at('v1'), older('little', {})),
      'what that is in the newer': get(`${at('v2')}/little`),
      'changed in the older': patch('merge', `${at('v1')}/older`, { spec: { targetCPUUtilizationPercentage: 70 } }),
      'how the newer sees it': get(`${at('v2')}/older`),
      'no maximum': post(at('v1'), older('wrong', { maxReplicas: 0 })),
      'in the newer version': post(at('v2'), {
        apiVersion: 'autoscaling/v2',
        kind,
        metadata: { name: 'newer' },
        spec: {
          scaleTargetRef,
          maxReplicas: 3,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      }),
      'what it is in the older': get(`${at('v1')}/newer`),
    },
  },
]
