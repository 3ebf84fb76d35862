import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { ProblemsError } from '../command-line.ts'

export interface InputOptions {
  readonly cwd: string
  readonly stdin: Readable
  /** Whether folders in folders are read, too: unless false. */
  readonly recursive?: boolean
}

/** A file that cannot be read. */
export class InputError extends ProblemsError {
  /** The message without the file. */
  readonly reason: string

  constructor(file: string, reason: string, cause?: unknown) {
    super([`${file}: ${reason}`], cause)
    this.reason = reason
  }
}

/** Larger inputs are a mistake or an attack; a fleet's manifests are far below. */
const inputBytesMax = 512 * 1024 * 1024
/** As kubectl reads folders. */
const manifestEnding = /\.(ya?ml|json)$/

/**
 * The text of the named files, folders (their *.yaml, *.yml and *.json, one level or all with `recursive`) and standard input (`-`), in
 * the order named; files of a folder in byte order.
 * @throws ProblemsError when one of them cannot be read
 */
export async function readTexts(
  names: readonly string[],
  options: InputOptions,
): Promise<{ readonly file: string; readonly text: string }[]> {
  const texts: { file: string; text: string }[] = []
  for (const name of names) {
    if (name === '-') texts.push({ file: '-', text: await readAll(options.stdin) })
    else for (const file of filesOf(name, options)) texts.push({ file, text: readText(file, options.cwd) })
  }
  return texts
}

/** The files that a name stands for. */
export function filesOf(name: string, options: Pick<InputOptions, 'cwd' | 'recursive'>): string[] {
  const path = resolve(options.cwd, name)
  let stats
  try {
    stats = statSync(path)
  } catch (error) {
    throw new InputError(name, 'no such file or folder', error)
  }
  if (!stats.isDirectory()) return [name]
  return readdirSync(path, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const inner = join(name, entry.name)
      if (entry.isDirectory()) return options.recursive === false ? [] : filesOf(inner, options)
      return manifestEnding.test(entry.name) && isFileOrMissing(join(path, entry.name)) ? [inner] : []
    })
}

/** A pipe would be waited for, and folders are not entered by links, which may lead in a circle. A link to nothing is a mistake to tell. */
function isFileOrMissing(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
}

/** @throws InputError */
export function readText(file: string, cwd: string): string {
  const path = resolve(cwd, file)
  try {
    if (statSync(path).size > inputBytesMax) throw new InputError(file, `larger than ${inputBytesMax} bytes`)
    return decode(file, readFileSync(path))
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(file, readingFailure(error), error)
  }
}

function readingFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  switch ('code' in error ? error.code : undefined) {
    case 'ENOENT':
      return 'no such file or folder'
    case 'EACCES':
      return 'permission denied'
    default:
      return error.message
  }
}

/** @throws InputError */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    size += bytes.length
    if (size > inputBytesMax) throw new InputError('-', `larger than ${inputBytesMax} bytes`)
    chunks.push(bytes)
  }
  return decode('-', Buffer.concat(chunks))
}

/**
 * UTF-8, or UTF-16 where a byte order mark says so, as some shells of Windows write it.
 * @throws InputError for bytes that are neither
 */
function decode(file: string, bytes: Buffer): string {
  const encoding = encodings.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark))?.name ?? 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' }).decode(bytes)
  } catch (error) {
    throw new InputError(file, `is not text: some bytes are no ${encoding.toUpperCase()}`, error)
  }
}

const encodings = [
  { name: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { name: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
]
