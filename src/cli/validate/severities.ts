import { ruleIDs, type Severity } from '../../admission/index.ts'
import { UsageError } from '../command-line.ts'

/** `JN-207=off` and the like, as given on the command line. */
export function parseSeverities(texts: readonly string[]): Record<string, Severity> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, id = '', level] = /^(JN-\d+)=(deny|warn|off)$/.exec(text) ?? []
      if (level === undefined) throw new UsageError(`--severity ${text}: expected RULE=deny, RULE=warn or RULE=off`)
      if (!ruleIDs.includes(id)) throw new UsageError(`--severity ${text}: there is no rule ${id}`)
      return [id, level === 'deny' || level === 'warn' ? level : 'off']
    }),
  )
}
