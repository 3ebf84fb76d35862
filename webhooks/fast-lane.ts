import { isUtf8 } from 'node:buffer'
import type { TLSSocket } from 'node:tls'
import { answerText } from './answer-text.ts'
import type { BodyBudget, HeldBody } from './body-budget.ts'
import { Outbox } from './outbox.ts'
import { headBytesMax, readHead, type RequestHead } from './request-head.ts'
import type { Answer, ReviewDesk } from './review-desk.ts'

/**
 * Answers reviews on their connection itself, as long as requests look as API servers send them: the general machinery of requests,
 * responses and streams costs several times what judging a review does. Whatever looks otherwise is for that machinery: the connection
 * is handed over with every byte that has not been answered, and stays there. So nothing is refused here but what is too much, and no
 * header is understood here that could mean anything else there.
 */
export interface FastLane {
  take(socket: TLSSocket): void
  /** Ends the connection that has waited longest for a next request, so that a newcomer finds a place. False when none waits. */
  makeRoom(): boolean
  /** Ends what waits for a next request; what is being answered gets its answer, and then the end. */
  close(): void
}

export interface FastLaneOptions {
  readonly desk: ReviewDesk
  readonly bodies: BodyBudget
  /** Takes a connection over; the bytes that nobody has answered have been put back. */
  readonly handOver: (socket: TLSSocket) => void
  /** Between two requests. */
  readonly keepAliveTimeoutMs: number
  /** From a request's first byte to its last, and from the handshake to the first. */
  readonly requestTimeoutMs: number
}

export function createFastLane(options: FastLaneOptions): FastLane {
  const connections = new Set<Connection>()
  const outbox = new Outbox()
  let closing = false
  return {
    take(socket) {
      const left = (done: Connection): unknown => connections.delete(done)
      connections.add(new Connection(socket, { ...options, outbox, isClosing: () => closing, left }))
    },
    makeRoom() {
      // What has its answer waits, too, and the answer must be out before the end.
      outbox.flush()
      let longest: Connection | undefined
      for (const connection of connections) {
        if (connection.isWaiting && (longest === undefined || connection.askedAt < longest.askedAt))
          longest = connection
      }
      longest?.end()
      return longest !== undefined
    },
    close() {
      closing = true
      // Nothing can be written behind the end.
      outbox.flush()
      for (const connection of connections) connection.close()
    },
  }
}

interface ConnectionOptions extends FastLaneOptions {
  readonly outbox: Outbox
  /** Each answer is the last then, also of a connection that comes while the server closes. */
  readonly isClosing: () => boolean
  readonly left: (connection: Connection) => void
}

/** One connection: at any time between two requests, in one, or waiting for a decision. */
class Connection {
  readonly #socket: TLSSocket
  readonly #options: ConnectionOptions
  /** The request that is being read: its first bytes up to the body, and the body as far as it has come. */
  #head: RequestHead | undefined
  #headBytes: Buffer = empty
  #body: Buffer[] = []
  #bodyBytes = 0
  /** From the first piece that is kept on: most bodies are there at once. */
  #held: HeldBody | undefined
  #startedAt = performance.now()
  /** Of a body that was refused unread. */
  #bytesToSkip = 0
  #deciding = false
  /** The last answer has been given. */
  #isOver = false

  constructor(socket: TLSSocket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    socket.setTimeout(options.requestTimeoutMs)
    socket.on('data', this.#onData)
    socket.on('timeout', this.#onTimeout)
    socket.on('error', this.#onError)
    socket.on('close', this.#onClose)
    socket.on('drain', this.#onDrain)
    // Before the socket's own listener, behind which nothing can be written.
    socket.prependListener('end', this.#onEnd)
  }

  /** Between two requests, or before the first. */
  get isWaiting(): boolean {
    return this.#head === undefined && !this.#deciding && !this.#isOver && this.#bytesToSkip === 0
  }

  /** When its latest request began, or it came itself. */
  get askedAt(): number {
    return this.#startedAt
  }

  /**
   * Without waiting for the other side to agree: answers that are on their way still go out, if it reads them in the time for a whole
   * request. Who has let that time pass already is not going to.
   */
  end(): void {
    this.#isOver = true
    if (this.#socket.writableNeedDrain && this.#timeLeftMs() <= 0) this.#socket.destroy()
    this.#socket.setTimeout(this.#options.requestTimeoutMs)
    this.#socket.destroySoon()
  }

  close(): void {
    if (this.#head !== undefined || this.#deciding) return
    this.#isOver = true
    this.#socket.end()
  }

  readonly #onData = (chunk: Buffer): void => {
    let rest: Buffer | undefined = chunk
    // Requests that were sent before the answer to the one before them.
    while (rest !== undefined && rest.length > 0) rest = this.#read(rest)
  }

  /** Returns what is behind the request that these bytes end; undefined when nothing can be read any more for now. */
  #read(bytes: Buffer): Buffer | undefined {
    if (this.#isOver || this.#bytesToSkip > 0) return this.#skip(bytes)
    if (this.#head !== undefined) return this.#readBody(this.#head, bytes)
    const end = bytes.indexOf('\r\n\r\n')
    const head = end < 0 || end > headBytesMax ? undefined : readHead(bytes.toString('latin1', 0, end + 2))
    if (head === undefined) return this.#handOver(bytes)
    this.#startedAt = performance.now()
    const refusal = this.#options.desk.turnAway(head.path, this.#socket)
    if (refusal !== undefined) {
      this.#bytesToSkip = head.bodyBytes
      this.#send(refusal)
      return this.#skip(bytes.subarray(end + 4))
    }
    this.#head = head
    this.#headBytes = bytes.subarray(0, end + 4)
    return this.#readBody(head, bytes.subarray(end + 4))
  }

  /** What was refused may be sent to its end, unread, so that its sender finds the refusal; but in the time for a whole request. */
  #skip(bytes: Buffer): Buffer | undefined {
    const leftMs = this.#timeLeftMs()
    if (leftMs <= 0) {
      this.#options.outbox.flush()
      if (this.#isOver) this.#socket.destroySoon()
      else this.end()
    }
    if (this.#isOver || this.#socket.destroyed) return undefined
    const skipped = Math.min(this.#bytesToSkip, bytes.length)
    this.#bytesToSkip -= skipped
    if (this.#bytesToSkip > 0) this.#socket.setTimeout(Math.ceil(leftMs))
    else this.#awaitRequest()
    return bytes.subarray(skipped)
  }

  /** Unless answers have to be read first, for which there is less time. */
  #awaitRequest(): void {
    const { keepAliveTimeoutMs } = this.#options
    const isDue = this.isWaiting && !this.#socket.writableNeedDrain && this.#socket.timeout !== keepAliveTimeoutMs
    if (isDue) this.#socket.setTimeout(keepAliveTimeoutMs)
  }

  #timeLeftMs(): number {
    return this.#startedAt + this.#options.requestTimeoutMs - performance.now()
  }

  #readBody(head: RequestHead, bytes: Buffer): Buffer | undefined {
    const { keepAliveTimeoutMs, bodies } = this.#options
    const missing = head.bodyBytes - this.#bodyBytes
    if (bytes.length < missing) {
      // A sender that trickles keeps the connection busy, but not beyond the time for a whole request.
      const leftMs = this.#timeLeftMs()
      if (leftMs <= 0) return this.#giveUp()
      this.#socket.setTimeout(Math.ceil(leftMs))
      this.#body.push(bytes)
      this.#bodyBytes += bytes.length
      this.#held ??= bodies.begin(this.#refuseBody)
      // The last thing done here: it may be this body that has to go.
      this.#held.add(bytes.length)
      return undefined
    }
    const last = bytes.subarray(0, missing)
    const body = this.#body.length === 0 ? last : Buffer.concat([...this.#body, last])
    const rest = bytes.subarray(missing)
    if (this.#socket.timeout !== keepAliveTimeoutMs) this.#socket.setTimeout(keepAliveTimeoutMs)
    const parsed = parse(body)
    if (parsed === undefined) return this.#handOver(Buffer.concat([this.#headBytes, body, rest]))
    this.#reset()
    const answer = this.#options.desk.answer(head.path, parsed.value, this.#socket)
    if (answer instanceof Promise) {
      this.#wait(answer, rest)
      return undefined
    }
    this.#send(answer)
    return rest
  }

  readonly #refuseBody = (): void => {
    const path = this.#head?.path
    this.#reset()
    this.#send(this.#options.desk.refuseBody(path))
  }

  /** Nothing more is read until the answer is there: answers come in the order of the questions. */
  #wait(answer: Promise<Answer>, rest: Buffer): void {
    this.#deciding = true
    this.#socket.pause()
    void answer.then((decided) => {
      this.#deciding = false
      if (this.#socket.destroyed) return
      this.#send(decided)
      if (!this.#socket.writableNeedDrain) this.#socket.resume()
      this.#onData(rest)
    })
  }

  #send(answer: Answer): void {
    const { outbox, isClosing, keepAliveTimeoutMs, requestTimeoutMs } = this.#options
    const isLast = answer.isLast || isClosing()
    this.#isOver = isLast
    if (isLast) this.#socket.setTimeout(requestTimeoutMs)
    const response = answerText(answer, isLast ? 'last' : { keepAliveTimeoutMs })
    outbox.add(() => this.#write(response, isLast))
  }

  #write(text: string, isLast: boolean): void {
    const socket = this.#socket
    if (socket.destroyed) return
    if (isLast) socket.end(text)
    else if (!socket.write(text)) {
      // Who asks on without reading the answers waits until they are read, and has the time of a request for that.
      socket.pause()
      socket.setTimeout(this.#options.requestTimeoutMs)
    }
  }

  #handOver(bytes: Buffer): undefined {
    const socket = this.#socket
    // Answers come in the order of the questions, whoever gives them.
    this.#options.outbox.flush()
    socket.off('data', this.#onData)
    socket.off('timeout', this.#onTimeout)
    socket.off('error', this.#onError)
    socket.off('close', this.#onClose)
    socket.off('drain', this.#onDrain)
    socket.off('end', this.#onEnd)
    socket.setTimeout(0)
    this.#options.left(this)
    this.#reset()
    socket.unshift(bytes)
    this.#options.handOver(socket)
    if (socket.isPaused()) socket.resume()
    return undefined
  }

  #reset(): void {
    this.#head = undefined
    this.#headBytes = empty
    this.#body = []
    this.#bodyBytes = 0
    this.#held?.end()
    this.#held = undefined
  }

  #giveUp(): undefined {
    this.#reset()
    this.#socket.end('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    this.end()
    return undefined
  }

  readonly #onTimeout = (): void => {
    if (this.#deciding) return
    // It has had its time to read the last answers.
    if (this.#isOver) this.#socket.destroy()
    else if (this.#head === undefined) this.end()
    else this.#giveUp()
  }

  readonly #onDrain = (): void => {
    if (this.#deciding) return
    this.#awaitRequest()
    this.#socket.resume()
  }

  /** The other side asks nothing more, but may wait for what it has asked. */
  readonly #onEnd = (): void => {
    this.#options.outbox.flush()
  }

  readonly #onError = (): void => {
    this.#socket.destroy()
  }

  readonly #onClose = (): void => {
    this.#reset()
    this.#options.left(this)
  }
}

const empty = Buffer.alloc(0)

function parse(body: Buffer): { readonly value: unknown } | undefined {
  if (!isUtf8(body)) return undefined
  try {
    return { value: JSON.parse(body.toString()) as unknown }
  } catch {
    return undefined
  }
}
