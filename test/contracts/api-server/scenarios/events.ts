import type { ExchangeRequest, Scenario } from '../exchange.ts'
import { get, namespace, patch, post, remove } from '../requests.ts'

const core = '/api/v1/namespaces/happenings/events'
const modern = '/apis/events.k8s.io/v1/namespaces/happenings/events'
const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: 'happenings', name: 'a' }

const coreEvent = (name: string, more: object = {}): ExchangeRequest =>
  post(core, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name },
    involvedObject: regarding,
    type: 'Normal',
    reason: 'Tried',
    message: 'it was tried',
    source: { component: 'tester', host: 'h1' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:01:00Z',
    count: 3,
    ...more,
  })
const modernEvent = (name: string, more: object = {}): ExchangeRequest =>
  post(modern, {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name },
    regarding,
    type: 'Warning',
    reason: 'Failed',
    note: 'it did not work',
    action: 'Try',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingController: 'example.com/tester',
    reportingInstance: 'tester-1',
    ...more,
  })

/** One set of events under two APIs, whose fields have different names. */
export const eventScenarios: readonly Scenario[] = [
  {
    name: 'events',
    steps: {
      namespace: namespace('happenings'),
      'an event of the older API': coreEvent('old'),
      'read by the newer one': get(`${modern}/old`),
      'an event of the newer API': modernEvent('new', {
        related: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
        series: { count: 2, lastObservedTime: '2026-01-01T00:00:05.000000Z' },
      }),
      'read by the older one': get(`${core}/new`),
      'listed by the newer API': get(modern),
      'by what it is about': get(`${modern}?fieldSelector=regarding.name%3Da,reason%3DFailed`),
      'by what it is about, in the older names': get(`${core}?fieldSelector=involvedObject.name%3Da,reason%3DFailed`),
      'by a field of the other API': get(`${modern}?fieldSelector=involvedObject.name%3Da`),
      'a change through the newer API': patch('merge', `${modern}/new`, { series: { count: 3 } }),
      'a note may not change': patch('merge', `${modern}/new`, { note: 'it did' }),
      'an event without a time': modernEvent('bad', { eventTime: null }),
      'an event without a reporter': modernEvent('bad', { reportingController: '' }),
      'an event without an action': modernEvent('bad', { action: '' }),
      'an event of a type that is none': modernEvent('bad', { type: 'Strange' }),
      'an event about another namespace': modernEvent('bad', { regarding: { ...regarding, namespace: 'elsewhere' } }),
      delete: remove(`${modern}/old`),
      'it is gone': get(`${core}/old`),
    },
  },
]
