import type { KubeObject } from './object.ts'

export interface Event extends KubeObject {
  involvedObject: {
    apiVersion?: string
    kind?: string
    namespace?: string
    name?: string
    uid?: string
    fieldPath?: string
  }
  reason?: string
  message?: string
  type?: 'Normal' | 'Warning'
  source?: { component?: string; host?: string }
  reportingComponent?: string
  reportingInstance?: string
  firstTimestamp?: string
  lastTimestamp?: string
  eventTime?: string | null
  count?: number
  series?: { count?: number; lastObservedTime?: string }
  action?: string
}
