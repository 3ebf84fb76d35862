import type { Scenario } from './exchange.ts'
import { applyScenarios } from './scenarios/apply.ts'
import { autoscalerScenarios } from './scenarios/autoscalers.ts'
import { customResourceScenarios } from './scenarios/custom-resources.ts'
import { eventScenarios } from './scenarios/events.ts'
import { limitRangeScenarios } from './scenarios/limit-ranges.ts'
import { nodeScenarios } from './scenarios/nodes.ts'
import { objectScenarios } from './scenarios/objects.ts'
import { otherMistakeScenarios } from './scenarios/other-mistakes.ts'
import { podMistakeScenarios } from './scenarios/pod-mistakes.ts'
import { podScenarios } from './scenarios/pods.ts'
import { requestMistakeScenarios } from './scenarios/request-mistakes.ts'
import { serviceAccountScenarios } from './scenarios/service-accounts.ts'
import { serviceScenarios } from './scenarios/services.ts'
import { workloadMistakeScenarios } from './scenarios/workload-mistakes.ts'
import { workloadScenarios } from './scenarios/workloads.ts'

/**
 * What every API server has to answer alike. The answers of a real kube-apiserver (without controllers and scheduler, with the CRDs
 * of `manifests/crds`) are kept in `recorded/`; the peer tests prove that they are what a real one says, and the embedded server is
 * measured by them.
 */
export const scenarios: readonly Scenario[] = [
  ...objectScenarios,
  ...requestMistakeScenarios,
  ...applyScenarios,
  ...nodeScenarios,
  ...podScenarios,
  ...podMistakeScenarios,
  ...limitRangeScenarios,
  ...eventScenarios,
  ...workloadScenarios,
  ...serviceScenarios,
  ...autoscalerScenarios,
  ...workloadMistakeScenarios,
  ...otherMistakeScenarios,
  ...customResourceScenarios,
  ...serviceAccountScenarios,
]
