import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { ProblemsError, UsageError } from '../command-line.ts'
import { positionAt } from './json-position.ts'
import { emptyName } from './option-values.ts'

export interface InputOptions {
  readonly cwd: string
  readonly stdin: Readable
  /** Whether folders in folders are read, too: unless false. */
  readonly recursive?: boolean
  /** Ends the reading of standard input. */
  readonly signal?: AbortSignal
}

/** A file that a name stands for, or a folder in its place that nobody may look into. */
export interface InputFile {
  readonly file: string
  /** @throws InputError */
  readonly read: () => string
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

/** A file that is there and was read, and is no document of any kind. */
export class NoTextError extends InputError {
  /** Of the first bytes that are no text. */
  readonly position: { readonly line: number; readonly column: number }

  constructor(file: string, reason: string, position: NoTextError['position'], cause: unknown) {
    super(file, reason, cause)
    this.position = position
  }
}

/** Larger inputs are a mistake or an attack; a fleet's manifests are far below. */
const inputBytesMax = 512 * 1024 * 1024
/** As kubectl reads folders. */
const manifestEnding = /\.(ya?ml|json)$/
/** `.git`, `.github` and the like, and the folder that a mounted ConfigMap links its files to: unlike kubectl, as Flux does. */
const toolFolder = /^\./

/**
 * The text of the named files, folders (their *.yaml, *.yml and *.json, one level or all with `recursive`) and standard input (`-`), in
 * the order named; files of a folder in byte order, without those of folders in it whose names begin with a dot.
 * @throws ProblemsError with a line for each of them that cannot be read
 */
export async function readTexts(
  names: readonly string[],
  options: InputOptions,
): Promise<{ readonly file: string; readonly text: string }[]> {
  checkNames(names)
  const texts: { file: string; text: string }[] = []
  const unreadable: string[] = []
  const attempt = (read: () => void): void => {
    try {
      read()
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      unreadable.push(...error.lines)
    }
  }
  for (const name of names) {
    if (name === '-') texts.push({ file: '-', text: await readAll(options.stdin, options.signal) })
    else {
      attempt(() => {
        for (const { file, read } of filesOf(name, options)) attempt(() => texts.push({ file, text: read() }))
      })
    }
  }
  if (unreadable.length > 0) throw new ProblemsError(unreadable)
  return texts
}

/**
 * An unset variable of a script makes an empty name, which as a path would be the folder one is in. Standard input is read once.
 * @throws UsageError
 */
export function checkNames(names: readonly string[]): void {
  if (names.includes('')) throw new UsageError(emptyName)
  if (names.indexOf('-') !== names.lastIndexOf('-')) throw new UsageError('standard input is named twice')
}

/**
 * What a name stands for. In a folder, what cannot be looked at is there, too, and fails when it is read: the others can be read all the same.
 * @throws InputError when the name itself leads nowhere, or to a folder without manifests: it is more likely a wrong one than meant so
 */
export function filesOf(
  name: string,
  options: Pick<InputOptions, 'cwd' | 'recursive'>,
  input: 'needed' | 'may be empty' = 'needed',
): readonly InputFile[] {
  const path = resolve(options.cwd, name)
  try {
    if (!statSync(path).isDirectory()) return [{ file: name, read: () => readText(name, options.cwd) }]
    const files = filesIn(name, options)
    if (files.length > 0 || input === 'may be empty') return files
    throw new InputError(name, 'holds no manifest, no file whose name ends in .yaml, .yml or .json')
  } catch (error) {
    throw inputError(name, error)
  }
}

function filesIn(folder: string, options: Pick<InputOptions, 'cwd' | 'recursive'>): readonly InputFile[] {
  const { cwd, recursive } = options
  return readdirSync(resolve(cwd, folder), { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry): readonly InputFile[] => {
      const file = join(folder, entry.name)
      if (entry.isDirectory()) {
        return recursive === false || toolFolder.test(entry.name) ? [] : filesInOrFailure(file, options)
      }
      if (!manifestEnding.test(entry.name) || isOtherThanFile(resolve(cwd, file))) return []
      return [{ file, read: () => readText(file, cwd) }]
    })
}

function filesInOrFailure(folder: string, options: Pick<InputOptions, 'cwd' | 'recursive'>): readonly InputFile[] {
  try {
    return filesIn(folder, options)
  } catch (error) {
    return [
      {
        file: folder,
        read: () => {
          throw inputError(folder, error)
        },
      },
    ]
  }
}

/**
 * A pipe would be waited for, and folders are not entered by links, which may lead in a circle. A link to nothing or to itself is a mistake
 * to tell.
 */
function isOtherThanFile(path: string): boolean {
  try {
    return !statSync(path).isFile()
  } catch {
    return false
  }
}

/** @throws InputError */
function readText(file: string, cwd: string): string {
  const path = resolve(cwd, file)
  try {
    if (statSync(path).size > inputBytesMax) throw new InputError(file, `larger than ${inputBytesMax} bytes`)
    return decode(file, readFileSync(path))
  } catch (error) {
    throw inputError(file, error)
  }
}

function inputError(file: string, error: unknown): InputError {
  return error instanceof InputError ? error : new InputError(file, readingFailure(error), error)
}

function readingFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  switch ('code' in error ? error.code : undefined) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'no such file or folder'
    case 'EACCES':
      return 'permission denied'
    case 'ELOOP':
      return 'too many levels of symbolic links'
    default:
      return error.message
  }
}

/** @throws InputError; the signal's reason when it comes first */
export async function readAll(stream: Readable, signal?: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const stop = (): void => {
    stream.destroy()
  }
  signal?.throwIfAborted()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of stream) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
      size += bytes.length
      if (size > inputBytesMax) throw new InputError('-', `larger than ${inputBytesMax} bytes`)
      chunks.push(bytes)
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', stop)
  }
  return decode('-', Buffer.concat(chunks))
}

/**
 * UTF-8, or UTF-16 where a byte order mark says so, as some shells of Windows write it.
 * @throws NoTextError for bytes that are neither
 */
function decode(file: string, bytes: Buffer): string {
  const encoding = encodings.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark))?.name ?? 'utf-8'
  try {
    return withLineEnds(new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'utf-8' }).decode(bytes))
  } catch (error) {
    const read = new TextDecoder(encoding).decode(bytes)
    const position = positionAt(read, read.indexOf(replacementCharacter))
    throw new NoTextError(file, `is not text: some bytes are no ${encoding.toUpperCase()}`, position, error)
  }
}

/** To YAML, and so to kubectl, a carriage return ends a line by itself as well; to our parser it does not. */
function withLineEnds(text: string): string {
  return text.includes('\r') ? text.replaceAll(/\r(?!\n)/g, '\n') : text
}

/** What stands in the place of bytes that are none. */
const replacementCharacter = '\u{fffd}'

const encodings = [
  { name: 'utf-16le', mark: Buffer.from([0xff, 0xfe]) },
  { name: 'utf-16be', mark: Buffer.from([0xfe, 0xff]) },
]
