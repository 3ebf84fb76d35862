import { diff3Merge, diffComm } from 'node-diff3'

/** Comparing takes the square of the lines: a second for so many. Longer documents are lists that some tool has written. */
const linesMax = 2_000

/**
 * A text with the changes between two printings of it, so that every line which only a printer would write in another way stays as it was
 * written. Where a line is both, it is that of the second printing.
 */
export function carryChanges(written: string, printedBefore: string, printedAfter: string): string {
  const lines = written.split('\n')
  if (lines.length > linesMax) return printedAfter
  const merged = diff3Merge(lines, printedBefore.split('\n'), printedAfter.split('\n'))
  return merged.flatMap(({ ok, conflict }) => ok ?? (conflict === undefined ? [] : settle(conflict))).join('\n')
}

/** Lines that a printer writes in another way and that also change. Where it keeps the number of lines, each has one that it stands for. */
function settle({ a: written, o: before, b: after }: Conflict): readonly string[] {
  if (written.length !== before.length) return after
  let at = 0
  return diffComm([...before], [...after]).flatMap((part) => {
    const start = at
    at += 'common' in part ? part.common.length : part.buffer1.length
    return 'common' in part ? written.slice(start, at) : part.buffer2
  })
}

interface Conflict {
  readonly a: readonly string[]
  readonly o: readonly string[]
  readonly b: readonly string[]
}
