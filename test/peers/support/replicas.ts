import type { LogLine } from './joinery-process.ts'
import type { OperatorProcess } from './operator-process.ts'

/** Lines of one replica in one report; a rollout of three nodes takes about a hundred. */
const newsMax = 400

/** The operators of a world, in the order of their start. */
export class Replicas {
  readonly #all: { readonly operator: OperatorProcess; told: number }[] = []

  add(operator: OperatorProcess): void {
    this.#all.push({ operator, told: 0 })
  }

  /** What all of them have logged so far. */
  async lines(): Promise<readonly LogLine[]> {
    return (await Promise.all(this.#all.map(({ operator }) => operator.lines()))).flat()
  }

  /** What each has logged since this was last asked; of very much the end. */
  async news(): Promise<string> {
    const parts: string[] = []
    for (const [index, replica] of this.#all.entries()) {
      const lines = (await replica.operator.logTail(Infinity)).split('\n')
      const fresh = lines.slice(replica.told)
      replica.told = lines.length
      const shown = fresh.slice(-newsMax)
      const leftOut = fresh.length - shown.length
      parts.push(`== operator ${index + 1}${replica.operator.ended ? ', which has ended' : ''}`)
      if (leftOut > 0) parts.push(`(${leftOut} lines before)`)
      parts.push(...shown.map(brief))
    }
    return parts.join('\n')
  }
}

/** The same in every line, or of use to machines only. */
const dullFields: ReadonlySet<string> = new Set([
  'logger',
  'commit',
  'controllerGroup',
  'controllerKind',
  'namespace',
  'reconcileID',
])

function brief(line: string): string {
  if (!line.startsWith('{') || !line.endsWith('}')) return line
  const { time, level, controller = '', message, ...rest } = JSON.parse(line) as LogLine
  const fields = Object.entries(rest).filter(([key, value]) => !dullFields.has(key) && value !== '')
  const text = fields.map(([key, value]) => ` ${key}=${JSON.stringify(value)}`).join('')
  return `${String(time)} ${level} ${String(controller)}: ${message}${text}`
}
