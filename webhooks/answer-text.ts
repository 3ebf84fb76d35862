import { type Answer, jsonContent, retryAfterSeconds } from './review-desk.ts'

/** An answer as it goes over the connection. `next`: how long the connection waits for another request, or that there is none. */
export function answerText({ status, text }: Answer, next: { readonly keepAliveTimeoutMs: number } | 'last'): string {
  const length = Buffer.byteLength(text)
  const future =
    next === 'last'
      ? 'Connection: close'
      : `Connection: keep-alive\r\nKeep-Alive: timeout=${next.keepAliveTimeoutMs / 1000}`
  return `${statusLines[status]}content-type: ${jsonContent}\r\ncontent-length: ${length}\r\nDate: ${httpDate()}\r\n${future}\r\n\r\n${text}`
}

const statusLines: Readonly<Record<Answer['status'], string>> = {
  200: 'HTTP/1.1 200 OK\r\n',
  400: 'HTTP/1.1 400 Bad Request\r\n',
  401: 'HTTP/1.1 401 Unauthorized\r\n',
  403: 'HTTP/1.1 403 Forbidden\r\n',
  429: `HTTP/1.1 429 Too Many Requests\r\nretry-after: ${retryAfterSeconds}\r\n`,
  500: 'HTTP/1.1 500 Internal Server Error\r\n',
}

let dateText = ''
let dateSecond = 0

/** Of this second: made anew for each answer, it would cost more than reading the question. */
function httpDate(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    dateText = new Date(now).toUTCString()
  }
  return dateText
}
