/** What is left of the limit is for what is not old heap: code, buffers, sockets, the young generation. */
const heapShare = 0.75
const flag = '--max-old-space-size'
/** V8 lets the young generation grow with the heap: on a large fleet to 128 MB, of which it used a seventh. */
const youngMB = 16

/**
 * The flags with which Node has to be started so that its heap stays within a memory limit; undefined when there is no limit, or when
 * Node was told already. Node sizes its heap once, when it starts, by the machine or the container it finds itself in.
 */
export function heapFlags(limitBytes: number, nodeFlags: readonly string[]): readonly string[] | undefined {
  if (limitBytes <= 0 || nodeFlags.some((each) => each.startsWith(flag))) return undefined
  return [`${flag}=${Math.floor((limitBytes * heapShare) / 2 ** 20)}`, `--max-semi-space-size=${youngMB}`]
}
