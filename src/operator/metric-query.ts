import { messageOf } from '../api/error-text.ts'
import type { MetricQuery, MetricReading } from '../controllers/rollout/index.ts'

/** Prometheus gives up on a query after two minutes; nobody waits that long here. */
const timeoutMs = 10_000
/** One number needs a few hundred bytes. The address is whatever a policy says: who answers there must not fill the memory. */
const answerMaxBytes = 2 ** 20
/** What went wrong is told in a status and an event. */
const messageMax = 300

/** Asks a Prometheus server (or what speaks its HTTP API) for one number. Whatever goes wrong is an answer: unknown. */
export const queryPrometheus: MetricQuery = async (address, query) => {
  try {
    const url = new URL('api/v1/query', address.endsWith('/') ? address : `${address}/`)
    url.searchParams.set('query', query)
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'error' })
    if (!response.ok) return unknown(`status ${response.status}`)
    return readPrometheusAnswer(JSON.parse(await readBounded(response)))
  } catch (error) {
    return unknown(textOf(error))
  }
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > answerMaxBytes) throw new Error(`the answer has more than ${answerMaxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** What fetch rejects with says nothing by itself: why the connection failed is its cause. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  const why = cause instanceof Error ? messageOf(cause) || cause.name : ''
  return why === '' ? error.message : `${error.message}: ${why}`
}

/** The number in an answer of `/api/v1/query`: a scalar, or a vector of exactly one element. */
export function readPrometheusAnswer(answer: unknown): MetricReading {
  const { status, error, data } = recordOf(answer)
  if (status !== 'success') return unknown(typeof error === 'string' ? error : 'the answer is no success')
  const { resultType, result } = recordOf(data)
  if (resultType === 'scalar') return sample(result)
  if (resultType !== 'vector' || !Array.isArray(result)) return unknown(`the result is a ${String(resultType)}`)
  if (result.length !== 1) return unknown(`the result has ${result.length} elements instead of one`)
  return sample(recordOf(result[0])['value'])
}

/** `[time, "number"]`. NaN, as a division by nothing gives, is no number to go by. */
function sample(value: unknown): MetricReading {
  const text: unknown = Array.isArray(value) ? value[1] : undefined
  const number =
    typeof text === 'string' ? Number(text === '+Inf' ? 'Infinity' : text === '-Inf' ? '-Infinity' : text) : Number.NaN
  return Number.isNaN(number) ? unknown(`the value is ${String(text)}`) : { kind: 'value', value: number }
}

function unknown(message: string): MetricReading {
  return { kind: 'unknown', message: message.length > messageMax ? `${message.slice(0, messageMax)}...` : message }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
