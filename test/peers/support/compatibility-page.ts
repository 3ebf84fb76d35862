import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'compatibility.md')

/** Whether docs/compatibility.md has a line in one of its tables that begins with this. */
export async function hasCompatibilityLine(start: string): Promise<boolean> {
  return (await readFile(page, 'utf8')).includes(`\n| ${start}`)
}
