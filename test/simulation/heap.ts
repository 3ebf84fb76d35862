import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Heap {
  /** In bytes, what is only waiting to be collected included. */
  used(): number
  /** Takes up to a second. */
  collect(): void
}

export const processHeap: Heap = {
  // The process' own account of it reads all else, too, from the kernel.
  used: () => getHeapStatistics().used_heap_size,
  collect() {
    // The only way to the collector without a flag on the command line of whoever runs the tests.
    setFlagsFromString('--expose-gc')
    const gc: unknown = runInNewContext('gc')
    if (typeof gc === 'function') gc()
  },
}
