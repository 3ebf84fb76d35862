import { budgetSchedule } from './rules/jn-101-budget-schedule.ts'
import { contradictoryRequirements } from './rules/jn-102-contradictory-requirements.ts'
import { minValuesAboveList } from './rules/jn-103-min-values.ts'
import { nodePoolValidation } from './rules/jn-104-node-pool-validation.ts'
import { nodeOverlayValidation } from './rules/jn-105-node-overlay-validation.ts'
import { kubeletValidation } from './rules/jn-106-kubelet-validation.ts'
import { mergeableUserData } from './rules/jn-107-user-data.ts'
import { durationRange } from './rules/jn-108-duration-range.ts'
import { volumeSizeQuantity } from './rules/jn-109-volume-size.ts'
import { aliasForm } from './rules/jn-110-alias-form.ts'
import { rolloutTimes } from './rules/jn-111-rollout-times.ts'
import { rolloutAdvances } from './rules/jn-112-rollout-advances.ts'
import { selectorMatches } from './rules/jn-201-selector-matches.ts'
import { noInstanceType } from './rules/jn-202-no-instance-type.ts'
import { minValuesUnreachable } from './rules/jn-203-min-values-unreachable.ts'
import { limitBelowSmallest } from './rules/jn-204-limit-below-smallest.ts'
import { emptyReasons } from './rules/jn-205-empty-reasons.ts'
import { noRootVolume } from './rules/jn-206-no-root-volume.ts'
import { floatingAlias } from './rules/jn-207-floating-alias.ts'
import { noBudgets } from './rules/jn-208-no-budgets.ts'
import { frozenForEver } from './rules/jn-209-frozen-for-ever.ts'
import { singleTypeSpot } from './rules/jn-210-single-type-spot.ts'
import { overlappingPools } from './rules/jn-211-overlapping-pools.ts'
import { amiOwner } from './rules/jn-212-ami-owner.ts'
import { changeDriftsNodes } from './rules/jn-213-change-drifts-nodes.ts'
import { missingNodeClass } from './rules/jn-214-missing-node-class.ts'
import { kubeletExpression } from './rules/jn-215-kubelet-expression.ts'
import { lastingStartupTaint } from './rules/jn-216-startup-taint.ts'
import { architectureWithoutImage } from './rules/jn-217-architecture-without-image.ts'
import { noRoomForReplacement } from './rules/jn-218-no-room-for-replacement.ts'
import { expiresBeforeReady } from './rules/jn-219-expires-before-ready.ts'
import { selectsEverything } from './rules/jn-220-selects-everything.ts'
import { refusedTag } from './rules/jn-221-refused-tag.ts'
import type { Rule } from './rule.ts'

/** Every rule, by ID. 1xx can never work; 2xx is risky or depends on the world. */
export const rules: readonly Rule[] = [
  budgetSchedule,
  contradictoryRequirements,
  minValuesAboveList,
  nodePoolValidation,
  nodeOverlayValidation,
  kubeletValidation,
  mergeableUserData,
  durationRange,
  volumeSizeQuantity,
  aliasForm,
  rolloutTimes,
  rolloutAdvances,
  selectorMatches,
  noInstanceType,
  minValuesUnreachable,
  limitBelowSmallest,
  emptyReasons,
  noRootVolume,
  floatingAlias,
  noBudgets,
  frozenForEver,
  singleTypeSpot,
  overlappingPools,
  amiOwner,
  changeDriftsNodes,
  missingNodeClass,
  kubeletExpression,
  lastingStartupTaint,
  architectureWithoutImage,
  noRoomForReplacement,
  expiresBeforeReady,
  selectsEverything,
  refusedTag,
]

export const ruleIDs: readonly string[] = rules.map(({ id }) => id)
