import { headerValue, type MimePart } from './mime.ts'

const encodingHeader = 'Content-Transfer-Encoding'

/** The content of a part as text. What is encoded and no text, such as a compressed script, stays as it is, and keeps the header that says so. */
export function decodedPart({ headers, content }: MimePart): MimePart {
  const encoding = headerValue(headers, encodingHeader.toLowerCase())
  const bytes = decode(content, encoding?.toLowerCase())
  const plain = headers.filter((line) => headerValue([line], encodingHeader.toLowerCase()) === undefined)
  if (bytes === undefined) return { headers: plain, content }
  const text = textOf(bytes)
  return text === undefined ? { headers, content } : { headers: plain, content: text }
}

function decode(content: string, encoding: string | undefined): Buffer | undefined {
  if (encoding === 'base64') return Buffer.from(content, 'base64')
  return encoding === 'quoted-printable' ? fromQuotedPrintable(content) : undefined
}

/** A line that ends in `=` goes on in the next; `=` and two digits are a byte. What is no such thing is left alone, as mail readers do. */
function fromQuotedPrintable(content: string): Buffer {
  const joined = content.replaceAll(/=[ \t]*\n/g, '')
  const parts = joined
    .split(/((?:=[0-9A-Fa-f]{2})+)/)
    .map((part, index) => (index % 2 === 1 ? Buffer.from(part.replaceAll('=', ''), 'hex') : Buffer.from(part, 'utf8')))
  return Buffer.concat(parts)
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}
