import { taintDisruptedKey } from '../../../src/api/labels.ts'
import { type Heap, processHeap } from '../heap.ts'
import { minute } from '../world.ts'
import { type Look, taintKeys, type Watcher } from './look.ts'

/** How the engine words what only a mistake in the program leads to; lines tell the message of an error, not always its name. */
const mistake =
  /\b(TypeError|RangeError|ReferenceError): |Cannot (read|set) propert|is not (a function|iterable|defined)\b/

/** I13, I15, I25, I32: the control loop itself. */
export function loopWatcher(look: Look): Watcher {
  const removedTaints = new Map<string, Set<string>>()
  return {
    onNode(type, node, previous) {
      const { uid, name } = node.metadata
      if (type === 'DELETED') {
        removedTaints.delete(uid)
        return
      }
      // I25: a startup taint that its owner has removed stays away.
      const before = taintKeys(previous)
      const after = taintKeys(node)
      const removed = removedTaints.get(uid) ?? new Set<string>()
      for (const key of before) if (!after.has(key) && key.startsWith('startup.')) removed.add(key)
      for (const key of after) if (!before.has(key) && removed.has(key)) look.report('I25', name, `${key} is back`)
      if (removed.size > 0) removedTaints.set(uid, removed)
    },
    onLog(_line, text) {
      // A loop that goes on after one has passed something over, and would each time.
      const [found] = mistake.exec(text) ?? []
      if (found !== undefined)
        look.report('I13', 'log', `a line tells of a mistake in the program: ${text.slice(0, 300)}`)
    },
    tick() {
      const { state, lifecycle } = look.world.stack.operator
      const leads = lifecycle.state === 'running'
      // A claim whose launch is under way holds decisions back by design.
      const launching = look.claims.some(({ status }) => (status?.providerID ?? '') === '')
      look.since('I13', 'cluster state', leads && !launching && !state.synced(), 2 * minute, 'is not synced')
      for (const node of look.nodes) {
        const claim = look.claimOf(node)
        const tainted = taintKeys(node).has(taintDisruptedKey)
        const idle = tainted && claim !== undefined && claim.metadata.deletionTimestamp === undefined
        look.since('I15', node.metadata.name, idle, 70 * minute, 'is tainted and nothing happens')
      }
    },
  }
}

/** The embedded cluster, its history of the last minutes, and the code itself. */
const memoryBaseBytes = 700 * 2 ** 20
/** For an object with its copies in caches, indexes and history. */
const memoryPerObjectBytes = 200 * 2 ** 10

/** I32: memory stays within a bound that grows with the number of objects only. */
export function memoryWatcher(look: Look, heap: Heap = processHeap): Watcher {
  let lookedAt = -Infinity
  return {
    tick() {
      if (look.elapsed - lookedAt < 10 * minute) return
      lookedAt = look.elapsed
      const objects = look.claims.length + look.nodes.length + look.pods.length
      const bound = memoryBaseBytes + objects * memoryPerObjectBytes
      if (heap.used() <= bound) return
      // Other tests in this process may have left garbage, which nobody has collected yet.
      heap.collect()
      const used = heap.used()
      if (used > bound) {
        look.report(
          'I32',
          'heap',
          `${Math.round(used / 2 ** 20)} MiB with ${objects} objects, bound ${Math.round(bound / 2 ** 20)}`,
        )
      }
    },
  }
}
