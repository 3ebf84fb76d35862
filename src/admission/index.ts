export { judge, type JudgeInput, type Verdict } from './judge.ts'
export type { AdmissionFacts, Finding, SelectorMatches, Severity } from './rule.ts'
export { ruleIDs, rules } from './rules.ts'
