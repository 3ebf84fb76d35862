import type { Clock } from '../../../model/clock.ts'
import type { CallObserver } from './call-observer.ts'
import type { AWSService } from './rate-limits.ts'

type Attempt<Input extends object, Output extends object> = (args: {
  input: Input
  request: unknown
}) => Promise<{ response: unknown; output?: Output }>

/** As much of a client of the SDK as this needs. */
interface ObservableClient<Input extends object, Output extends object> {
  readonly middlewareStack: {
    add(
      middleware: (next: Attempt<Input, Output>, context: { readonly commandName?: string }) => Attempt<Input, Output>,
      options: { readonly step: 'deserialize'; readonly priority: 'high'; readonly name: string },
    ): void
    remove(name: string): boolean
  }
}

/**
 * Times every attempt of every call by itself: the step in which answers are read lies within the one that tries again. It stands in
 * for the SDK's own log, which would copy each answer for nobody to read.
 */
export function observeAttempts<Input extends object, Output extends object>(
  client: ObservableClient<Input, Output>,
  service: AWSService,
  { observer, clock }: { readonly observer: CallObserver; readonly clock: Clock },
): void {
  client.middlewareStack.remove('loggerMiddleware')
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const action = commandName.replace(/Command$/, '')
        const startedAt = clock.monotonicMs()
        const done = (status: number): void =>
          observer.attempted({ service, action, status, durationMs: clock.monotonicMs() - startedAt })
        try {
          const result = await next(args)
          done(numberAt(result.response, 'statusCode'))
          return result
        } catch (error) {
          done(statusOf(error))
          throw error
        }
      },
    { step: 'deserialize', priority: 'high', name: 'joineryAttempts' },
  )
}

/** Answers that could be read carry their status in `$metadata`, others only in the raw `$response`; 0 when there was none. */
function statusOf(error: unknown): number {
  return numberAt(at(error, '$metadata'), 'httpStatusCode') || numberAt(at(error, '$response'), 'statusCode')
}

function numberAt(value: unknown, name: string): number {
  const found = at(value, name)
  return typeof found === 'number' ? found : 0
}

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
