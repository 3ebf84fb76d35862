import { UserDataError } from './inputs.ts'

export interface MimePart {
  /** Header lines without line break, in order. */
  readonly headers: readonly string[]
  readonly content: string
}

const boundary = '//'

/** Where nodeadm's reader, Go's, stops: what follows such a line would be read as another part. A line `--//x` is text like any other. */
const endsPart = /(?:^|\n)--\/\/(?:[ \t\n]|--|$)/

const script = 'text/x-shellscript'

/** What cloud-init takes for more than a script, by the first line, in small letters; and the type of the part that says the same. */
const cloudInitTypes: ReadonlyMap<string, string> = new Map([
  ['## template: jinja', 'text/jinja2'],
  ['#cloud-boothook', 'text/cloud-boothook'],
  ['#cloud-config', 'text/cloud-config'],
  ['#cloud-config-archive', 'text/cloud-config-archive'],
  ['#cloud-config-jsonp', 'text/cloud-config-jsonp'],
  ['#include', 'text/x-include-url'],
  ['#include-once', 'text/x-include-once-url'],
  ['#part-handler', 'text/part-handler'],
])

/** Of user data that is no MIME document; all that cloud-init does not know by its first line it runs. */
export function cloudInitType(text: string): string {
  return `${knownToCloudInit(text) ?? script}; charset="us-ascii"`
}

/** Blank lines ahead of it, as a template leaves them, are as nothing to cloud-init. Undefined for what only its content tells. */
export function knownToCloudInit(text: string): string | undefined {
  const firstLine = /^\s*(.*)/.exec(text)?.[1]?.trim().toLowerCase() ?? ''
  if (firstLine.startsWith('#!')) return script
  return cloudInitTypes.get(firstLine.replace(/^(#include(?:-once)?)\s+\S+:\/\/.*$/, '$1'))
}

/**
 * The multipart document that cloud-init and nodeadm read; carriage returns vanish, the user's included.
 * @throws UserDataError when a part holds the boundary
 */
export function writeMime(parts: readonly MimePart[]): string {
  const lines = ['MIME-Version: 1.0', `Content-Type: multipart/mixed; boundary="${boundary}"`, '']
  let text = `${lines.join('\n')}\n`
  for (const part of parts) {
    if (endsPart.test(part.content.replaceAll('\r', ''))) {
      throw new UserDataError(`user data may not have a line --${boundary}, which is the boundary of its parts`)
    }
    text += `--${boundary}\n${part.headers.map((line) => `${line}\n`).join('')}\n${part.content}\n`
  }
  return `${text}--${boundary}--\n`.replaceAll('\r', '')
}

export function isMime(text: string): boolean {
  return /^(MIME-Version:|Content-Type:)/i.test(text.trim())
}

/** @throws UserDataError when it is no multipart document with a boundary */
export function readMime(text: string): MimePart[] {
  const { headers, body } = splitHeaders(normalise(text).replace(/^\n+/, ''))
  const type = headerValue(headers, 'content-type')
  if (type === undefined || !/^multipart\//i.test(type)) {
    throw new UserDataError('parsing MIME user data, the document is not multipart')
  }
  const mark = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(type)
  const delimiter = mark?.[1]?.replaceAll(/\\(.)/g, '$1') ?? mark?.[2]
  if (delimiter === undefined || delimiter === '') throw new UserDataError('parsing MIME user data, no boundary')
  return readParts(body, delimiter)
}

function readParts(body: string, delimiter: string): MimePart[] {
  const parts: MimePart[] = []
  let current: string[] | undefined
  const finish = (): void => {
    if (current === undefined) return
    const { headers, body: content } = splitHeaders(current.join('\n'))
    parts.push({ headers, content })
  }
  for (const line of body.replace(/\n$/, '').split('\n')) {
    const trimmed = line.trimEnd()
    if (trimmed === `--${delimiter}--`) {
      finish()
      return parts
    }
    if (trimmed === `--${delimiter}`) {
      finish()
      current = []
    } else current?.push(line)
  }
  // A part of which not even the headers end is none for Go's reader, so a boundary like the others may stand last, as in Karpenter's examples.
  if (current !== undefined && !current.includes('')) return parts
  throw new UserDataError('parsing MIME user data, the last boundary is missing')
}

/** Header lines, folded ones joined, and what follows the first empty line. */
function splitHeaders(text: string): { readonly headers: readonly string[]; readonly body: string } {
  const headers: string[] = []
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    if (line === '') return { headers, body: lines.slice(index + 1).join('\n') }
    const previous = headers.at(-1)
    if (/^[ \t]/.test(line) && previous !== undefined) headers[headers.length - 1] = `${previous} ${line.trim()}`
    else if (line.includes(':')) headers.push(line)
    else throw new UserDataError(`parsing MIME user data, the header has a line without a colon`)
  }
  return { headers, body: '' }
}

export function headerValue(headers: readonly string[], name: string): string | undefined {
  const line = headers.find((header) => header.slice(0, header.indexOf(':')).trim().toLowerCase() === name)
  return line === undefined ? undefined : line.slice(line.indexOf(':') + 1).trim()
}

function normalise(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
