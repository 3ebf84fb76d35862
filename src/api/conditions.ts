export { ConditionSet } from './conditions/condition-set.ts'
export {
  type ConditionTypes,
  ec2NodeClassConditions,
  lookupConditions,
  nodeClaimConditions,
  nodeClaimDependents,
  nodeOverlayConditions,
  nodePoolConditions,
  nodePoolDependents,
} from './conditions/condition-types.ts'
export { conditionMessage } from './conditions/message.ts'
export {
  conditionIn,
  conditionOf,
  conditionReady,
  type Conditioned,
  isConditionFalse,
  isConditionTrue,
  isConditionUnknown,
  replaceCondition,
} from './conditions/reading.ts'
export {
  clearCondition,
  type ConditionChange,
  initConditions,
  messageAwaitingReconciliation,
  reasonAwaitingReconciliation,
  setCondition,
  setConditionFalse,
  setConditionTrue,
  setConditionUnknown,
} from './conditions/setting.ts'
