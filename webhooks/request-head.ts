import type { ReviewPath } from './review-desk.ts'

/** What comes before the body of a review that API servers send. */
export interface RequestHead {
  readonly path: ReviewPath
  readonly bodyBytes: number
}

/** What API servers send before a body has a few hundred bytes. */
export const headBytesMax = 4096
/** A review of an object as it is in practice; larger ones may come in hundreds of pieces. */
const bodyBytesMax = 256 * 1024

/** One path, a query that we do not look at (the API server's time-out), one version of HTTP; then lines without a fold. */
const headPattern = /^POST (\/validate|\/mutate)(?:\?[!-~]*)? HTTP\/1\.1\r\n((?:[A-Za-z-]+: [ -~]*\r\n)+)$/
const linePattern = /([A-Za-z-]+): ([ -~]*)\r\n/y
const lengthPattern = /^[1-9][0-9]{0,5}$/

/** Headers that say nothing about where a request ends, who asks, or how its body is to be read. */
const ignoredHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'traceparent',
  'tracestate',
  'user-agent',
])

/** `text`: all lines with their ends. Undefined when there is anything in it that only Node's parser should judge. */
export function readHead(text: string): RequestHead | undefined {
  const [, path, lines = ''] = headPattern.exec(text) ?? []
  if (path !== '/validate' && path !== '/mutate') return undefined
  let bodyBytes = 0
  let isJSON = false
  let hosts = 0
  linePattern.lastIndex = 0
  for (let line = linePattern.exec(lines); line !== null; line = linePattern.exec(lines)) {
    const [, name = '', value = ''] = line
    switch (name.toLowerCase()) {
      case 'content-length':
        if (bodyBytes > 0 || !lengthPattern.test(value)) return undefined
        bodyBytes = Number(value)
        break
      case 'content-type':
        if (isJSON || value !== 'application/json') return undefined
        isJSON = true
        break
      case 'host':
        hosts += 1
        break
      default:
        if (!ignoredHeaders.has(name.toLowerCase())) return undefined
    }
  }
  if (bodyBytes === 0 || bodyBytes > bodyBytesMax || !isJSON || hosts !== 1) return undefined
  return { path, bodyBytes }
}
