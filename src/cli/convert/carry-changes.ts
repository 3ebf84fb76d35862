import { diffComm } from 'node-diff3'

/** Comparing takes the square of the lines: a second for so many. Longer documents are lists that some tool has written. */
const linesMax = 2_000

/**
 * A text with the changes between two printings of it, so that every line which only a printer would write in another way stays as it was
 * written. Where a line is both, it is that of the second printing.
 */
export function carryChanges(written: string, printedBefore: string, printedAfter: string): string {
  const lines = written.split('\n')
  if (lines.length > linesMax) return printedAfter
  return apart(lines, printedBefore.split('\n'), printedAfter.split('\n')).flatMap(settle).join('\n')
}

/** What stands for the same lines of the first printing, in pieces as small as they can be told apart. */
interface Piece {
  readonly written: readonly string[]
  readonly before: readonly string[]
  readonly after: readonly string[]
}

function apart(written: readonly string[], before: readonly string[], after: readonly string[]): readonly Piece[] {
  const [inWritten, inAfter] = [gapsIn(written, before), gapsIn(after, before)]
  const pieces: Piece[] = []
  const from = { written: 0, before: 0, after: 0 }
  const cut = (to: typeof from): void => {
    pieces.push({
      written: written.slice(from.written, to.written),
      before: before.slice(from.before, to.before),
      after: after.slice(from.after, to.after),
    })
    Object.assign(from, to)
  }
  for (const [index, gap] of inWritten.entries()) {
    const other = inAfter[index]
    if (gap === undefined || other === undefined) continue
    cut({ written: gap.start, before: index, after: other.start })
    cut({ written: gap.end, before: index, after: other.end })
  }
  return pieces
}

/** Between the lines that a text has in common with the first printing: where it has more lines, from the first to the last of them. */
interface Gap {
  readonly start: number
  end: number
}

/** By the number of lines of the first printing that are above; undefined inside of lines that the text has in another way. */
function gapsIn(text: readonly string[], before: readonly string[]): readonly (Gap | undefined)[] {
  let last: Gap = { start: 0, end: 0 }
  const gaps: (Gap | undefined)[] = [last]
  const advance = (lines: number): void => {
    last = { start: last.end + lines, end: last.end + lines }
    gaps.push(last)
  }
  for (const { common, buffer1, buffer2 } of diffComm([...before], [...text])) {
    if (common !== undefined) for (const _line of common) advance(1)
    else if (buffer1.length === 0) last.end += buffer2.length
    else {
      for (let index = 1; index < buffer1.length; index += 1) gaps.push(undefined)
      advance(buffer2.length)
    }
  }
  return gaps
}

/** Lines that a printer writes in another way and that also change. Where it keeps the number of lines, each has one that it stands for. */
function settle({ written, before, after }: Piece): readonly string[] {
  if (before.join('\n') === after.join('\n')) return written
  if (written.length !== before.length) return after
  let at = 0
  return diffComm([...before], [...after]).flatMap((part) => {
    const start = at
    at += 'common' in part ? part.common.length : part.buffer1.length
    return 'common' in part ? written.slice(start, at) : part.buffer2
  })
}
