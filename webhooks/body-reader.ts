import type { IncomingMessage } from 'node:http'
import { errorCodes } from 'fastify'
import type { BodyBudget } from './body-budget.ts'

export interface BodyLimits {
  readonly bodies: BodyBudget
  readonly bytesMax: number
  /** Why nothing more is read of a body that was held too long with too many others. */
  readonly refused: () => Error
}

/** Reads a body to its end; what is refused is let go at once, and the rest of it is not kept. `done` is called once. */
export function readBody(
  request: IncomingMessage,
  { bodies, bytesMax, refused }: BodyLimits,
  done: (error: Error | null, text: string) => void,
): void {
  if (Number(request.headers['content-length']) > bytesMax) {
    done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), '')
    return
  }
  let pieces: Buffer[] = []
  let bytes = 0
  const finish = (error: Error | null): void => {
    request.off('data', onData)
    request.off('end', onEnd)
    request.off('close', onClose)
    held.end()
    const text = error === null ? Buffer.concat(pieces, bytes).toString() : ''
    pieces = []
    done(error, text)
  }
  const held = bodies.begin(() => finish(refused()))
  const onData = (piece: Buffer): void => {
    bytes += piece.length
    if (bytes > bytesMax) {
      finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      return
    }
    pieces.push(piece)
    held.add(piece.length)
  }
  const onEnd = (): void => finish(null)
  const onClose = (): void => finish(Object.assign(new Error('the connection has ended'), { statusCode: 400 }))
  request.on('data', onData)
  request.on('end', onEnd)
  request.on('close', onClose)
  // Whatever it is, the connection closes with it.
  request.on('error', () => undefined)
}
