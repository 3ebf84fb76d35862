import type { Call } from '../../cloud/aws/clients.ts'
import type { FaultInjector } from './faults.ts'

/** The effects of a service's calls: without options, and free to answer at once. */
export type Handlers<Client> = {
  readonly [Name in keyof Client]: Client[Name] extends Call<infer Input, infer Output>
    ? (input: Input) => Output | Promise<Output>
    : never
}

/** Makes a client of the handlers: asynchronous, observed and disturbed by the fault injector. */
export function toClient<Client extends object>(
  service: string,
  faults: FaultInjector,
  handlers: Handlers<Client>,
): Client {
  const entries = Object.entries(handlers as Record<string, (input: unknown) => unknown>).map(([name, effect]) => {
    const action = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    // What is written may be kept, and must not change with the caller's own object.
    const keeps = !/^(?:describe|get|list|receive)/.test(name)
    const call: Call<unknown, unknown> = (input, options) =>
      faults.call({ service, action, input }, options, async () => effect(keeps ? structuredClone(input) : input))
    return [name, call] as const
  })
  return Object.fromEntries(entries) as Client
}
