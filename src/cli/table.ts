/** Columns as wide as their widest cell, two blanks apart; control characters of the world never reach the terminal. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const printable = rows.map((row) => row.map(printableText))
  const widths: number[] = []
  for (const row of printable) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length)
  }
  return printable
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Text of an object, made safe to print: what could move the cursor or change colours is shown as a question mark. */
export function printableText(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '?')
}

/** The same of a text that has lines of its own. */
export function printableLines(text: string): string {
  return text.split('\n').map(printableText).join('\n')
}
