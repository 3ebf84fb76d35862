import type { KubeObject } from '../api/kubernetes.ts'
import type { Clock } from '../model/clock.ts'
import { KubeError, SilentWatchError } from './errors.ts'
import type { WatchEvent } from './port.ts'
import { watchError } from './status-error.ts'

/** One event of a large object; more than that is not an event but an attack or a fault. */
const lineMax = 64 * 1024 * 1024

/** The events of a watch's body: one JSON document per line. Ends when the server ends it; a silent connection is taken for dead. */
export async function* watchEvents<T extends KubeObject>(
  chunks: AsyncIterable<Uint8Array>,
  idle: { readonly clock: Clock; readonly idleMs: number; readonly cut: (error: Error) => void },
): AsyncGenerator<WatchEvent<T>> {
  const decoder = new TextDecoder()
  let rest = ''
  let timer = idle.clock.schedule(idle.idleMs, onIdle)
  function onIdle(): void {
    idle.cut(new SilentWatchError(idle.idleMs))
  }
  try {
    for await (const chunk of chunks) {
      timer.cancel()
      timer = idle.clock.schedule(idle.idleMs, onIdle)
      rest += decoder.decode(chunk, { stream: true })
      let end = rest.indexOf('\n')
      while (end >= 0) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 1)
        if (line.trim() !== '') yield parseEvent<T>(line)
        end = rest.indexOf('\n')
      }
      if (rest.length > lineMax) throw new KubeError('Unknown', 0, 'a watch event is too large')
    }
  } finally {
    timer.cancel()
  }
}

function parseEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  let event: { readonly type?: unknown; readonly object?: unknown }
  try {
    event = JSON.parse(line)
  } catch (error) {
    throw new KubeError('Unknown', 0, 'a watch event is not JSON', { cause: error })
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type: event.type, object: event.object as T }
    case 'BOOKMARK':
      return { type: 'BOOKMARK', resourceVersion: (event.object as KubeObject).metadata.resourceVersion }
    default:
      throw watchError(event.object)
  }
}
