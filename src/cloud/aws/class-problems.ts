import { expressionProblem } from './kubelet/expressions.ts'
import { userDataProblem } from './userdata/user-data-problem.ts'

/** How to tell what is wrong with a node class without asking AWS, as the rules of admission want it. */
export const classProblems = { userDataProblem, kubeletExpressionProblem: expressionProblem }
