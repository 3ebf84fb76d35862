import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer, Scenario } from './exchange.ts'

/** The release whose answers are recorded; others word some of them differently. */
export const recordedMinor = '36'

export function recordingPath(scenario: Scenario): string {
  return join(import.meta.dirname, 'recorded', `${scenario.name}.json`)
}

export function recordingText(answers: Record<string, Answer>): string {
  return `${JSON.stringify(answers, undefined, 1)}\n`
}

/** What a real kube-apiserver answered to each step. */
export function recordedAnswers(scenario: Scenario): Readonly<Record<string, Answer>> {
  return JSON.parse(readFileSync(recordingPath(scenario), 'utf8')) as Record<string, Answer>
}
