/** What the codes that this program writes look like in a dark terminal. */
const styles: Readonly<Record<string, string>> = {
  1: 'font-weight: bold',
  2: 'opacity: .6',
  31: 'color: #f48771',
  32: 'color: #89d185',
}

/** A page that shows lines of a terminal as it would, for a picture of them. @throws for a code that is not known here */
export function terminalPage(lines: readonly string[]): string {
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; overflow: hidden; background: #1e1e1e; color: #d4d4d4 }
pre { margin: 0; padding: 12px 16px; font: 13px/1.35 'DejaVu Sans Mono', monospace; width: max-content }
</style><pre>${lines.map(lineHTML).join('\n')}</pre>`
}

/** Each stretch of text begins with its code and ends with a reset. */
function lineHTML(line: string): string {
  const [first = '', ...rest] = line.split('\u001b[')
  const stretches = rest.map((part) => {
    const end = part.indexOf('m')
    const [code, text] = [part.slice(0, end), escaped(part.slice(end + 1))]
    if (code === '0') return text
    const style = styles[code]
    if (style === undefined) throw new Error(`nobody said what code ${code} looks like`)
    return `<span style="${style}">${text}</span>`
  })
  return `${escaped(first)}${stretches.join('')}`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
