import { jsonEqual } from '../../../api/json.ts'
import { qualifiedNameErrors } from '../../../api/qualified-name.ts'
import { field, type FieldError } from '../errors.ts'
import { type JsonObject, textAt } from '../json.ts'
import { asStored, type IncomingObject, type StoredObject } from '../object.ts'
import { fieldAt } from '../field-selectors.ts'
import { column } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageText, type BuiltinKind } from './kind.ts'
import { withDefaults } from './pod-defaults.ts'

/** Fields of an event in the newer API, and what the older one, which is stored, calls them. */
const olderNames = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
} as const

/** What the older API always shows, and the newer one only when it holds something. */
const emptyTexts = ['reportingComponent', 'reportingInstance'] as const

const common = { version: 'v1', kind: 'Event', plural: 'events', namespaced: true, shortNames: ['ev'] } as const

const about = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** One set of events, served under both APIs. */
export const eventKinds: readonly BuiltinKind[] = [
  {
    ...common,
    group: '',
    model: 'CoreV1Event',
    selectable: [...about.map((name) => `involvedObject.${name}`), 'reason', 'reportingComponent', 'source', 'type'],
    columns: columnsOf((event) => event),
    strategy: {
      applyDefaults: (event) =>
        withDefaults(event, {
          source: {},
          firstTimestamp: null,
          lastTimestamp: null,
          eventTime: null,
          reportingComponent: '',
          reportingInstance: '',
        }),
    },
  },
  {
    ...common,
    group: 'events.k8s.io',
    model: 'EventsV1Event',
    fields: {
      ...Object.fromEntries(about.map((name) => [`regarding.${name}`, fieldAt(`involvedObject.${name}`)])),
      reportingController: fieldAt('reportingComponent'),
      reason: fieldAt('reason'),
      type: fieldAt('type'),
    },
    columns: columnsOf(toOlder),
    strategy: {
      applyDefaults: (event) =>
        withDefaults(event, {
          deprecatedSource: {},
          deprecatedFirstTimestamp: null,
          deprecatedLastTimestamp: null,
          eventTime: null,
        }),
      validate: (event, old) => (old === undefined ? createErrors(event) : changeErrors(event, old)),
    },
    conversion: { stored: { group: '', plural: 'events', kind: 'Event' }, toStored: toOlder, fromStored: toNewer },
  },
]

function columnsOf(toStored: (event: StoredObject) => StoredObject): readonly TableColumn[] {
  const text = (event: StoredObject, ...path: readonly string[]): string => textAt(toStored(event), ...path) ?? ''
  return [
    column('Last Seen', (event, now) => {
      const stored = toStored(event)
      const lastSeen = textAt(stored, 'series', 'lastObservedTime') ?? textAt(stored, 'lastTimestamp')
      return ageText(lastSeen ?? textAt(stored, 'eventTime'), now)
    }),
    column('Type', (event) => text(event, 'type')),
    column('Reason', (event) => text(event, 'reason')),
    column(
      'Object',
      (event) => `${text(event, 'involvedObject', 'kind').toLowerCase()}/${text(event, 'involvedObject', 'name')}`,
    ),
    column('Message', (event) => text(event, 'message')),
  ]
}

function toOlder(event: JsonObject): StoredObject {
  const names: Readonly<Record<string, string>> = olderNames
  const fields = Object.entries(event).map(([name, value]) => [names[name] ?? name, value] as const)
  const empty = emptyTexts.map((name) => [name, ''] as const)
  return asStored({ ...Object.fromEntries(empty), ...Object.fromEntries(fields), apiVersion: 'v1', kind: 'Event' })
}

function toNewer(event: StoredObject): StoredObject {
  const names = new Map<string, string>(Object.entries(olderNames).map(([newer, older]) => [older, newer]))
  const fields = Object.entries(event)
    .filter(([name, value]) => value !== '' || !emptyTexts.some((each) => each === name))
    .map(([name, value]) => [names.get(name) ?? name, value] as const)
  return asStored({ ...Object.fromEntries(fields), apiVersion: 'events.k8s.io/v1', kind: 'Event' })
}

const types = ['Normal', 'Warning']
const noteLengthMax = 1_024

function createErrors(event: IncomingObject): readonly FieldError[] {
  const errors: FieldError[] = []
  if (textAt(event, 'eventTime') === undefined) errors.push(field.required('eventTime'))
  const controller = textAt(event, 'reportingController') ?? ''
  if (controller === '') errors.push(field.required('reportingController'))
  errors.push(
    ...qualifiedNameErrors(controller).map((problem) => field.invalid('reportingController', controller, problem)),
  )
  for (const name of ['reportingInstance', 'action', 'reason']) {
    if ((textAt(event, name) ?? '') === '') errors.push(field.required(name))
  }
  const note = textAt(event, 'note') ?? ''
  if (note.length > noteLengthMax) {
    errors.push(field.invalid('message', '', `can have at most ${noteLengthMax} characters`))
  }
  const type = textAt(event, 'type') ?? ''
  if (!types.includes(type)) errors.push(field.invalid('type', '', `has invalid value: ${type}`))
  return errors
}

/** What has happened stays as it was told; only how often it did may be added. */
function changeErrors(event: IncomingObject, old: StoredObject): readonly FieldError[] {
  const before = toOlder(old)
  const after = toOlder(event)
  return [
    'involvedObject',
    'reason',
    'message',
    'source',
    'firstTimestamp',
    'lastTimestamp',
    'count',
    'type',
    'eventTime',
    'action',
    'related',
    'reportingComponent',
    'reportingInstance',
  ]
    .filter((name) => !jsonEqual(before[name], after[name]))
    .map((name) =>
      field.invalid(name === 'reportingComponent' ? 'reportingController' : name, after[name], 'field is immutable'),
    )
}
