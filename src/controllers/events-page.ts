import { type EventRow, eventTable } from './event-table.ts'

/** The reference page of all events. */
export function eventsPage(): string {
  return [
    '# Events',
    '',
    'Events come from source `karpenter`, with the reasons, types and messages of Karpenter, so that alerts and runbooks carry over. A repeat',
    'of an event for the same object is dropped for the time given; of several messages in that time only the first one is seen.',
    '',
    '| reason | type | on | message | repeats dropped for |',
    '| --- | --- | --- | --- | --- |',
    ...eventTable.map(tableRow),
    '',
    '`joinery explain` tells what can be done about `DisruptionBlocked`, `Unconsolidatable` and `FailedScheduling`; see',
    '[troubleshooting](troubleshooting.md).',
    '',
  ].join('\n')
}

function tableRow({ reason, type, objects, message, dedupeMinutes }: EventRow): string {
  const name = reason === '' ? '(none)' : `\`${reason}\``
  const text = `\`${message.replaceAll('|', '\\|')}\``
  const window = dedupeMinutes === undefined ? 'never, they are counted' : `${dedupeMinutes} min`
  return `| ${name} | ${type} | ${objects.join(', ')} | ${text} | ${window} |`
}
