import type { AWSClients } from '../cloud/aws/clients.ts'
import { NotLeaderError, ObservingError, type WriteFence } from '../kube/fenced-client.ts'
import type { Leadership } from '../kube/leader-election.ts'

/** Whether writes may go out: closed until leadership is won, and again once it is lost; never open to an observer. */
export class WriteGate {
  readonly #observing: boolean
  #leadership: Leadership | undefined
  #open = false

  constructor(mode: 'act' | 'observe') {
    this.#observing = mode === 'observe'
  }

  readonly refusal: WriteFence = (operation) => {
    if (this.#observing) return new ObservingError(operation)
    const mayWrite = this.#open && (this.#leadership === undefined || this.#leadership.holds())
    return mayWrite ? undefined : new NotLeaderError(operation)
  }

  open(leadership?: Leadership): void {
    this.#leadership = leadership
    this.#open = true
  }

  close(): void {
    this.#open = false
  }
}

/** Calls that change something in the account; all others only look. Whoever receives a message keeps it from all others for a while. */
const awsWrites = new Set([
  'createLaunchTemplate',
  'deleteLaunchTemplate',
  'createFleet',
  'terminateInstances',
  'createTags',
  'createInstanceProfile',
  'deleteInstanceProfile',
  'addRoleToInstanceProfile',
  'removeRoleFromInstanceProfile',
  'receiveMessage',
  'deleteMessage',
])

/** As `fenceClient` does for the API server: writes to AWS that are refused never leave the process. */
export function fenceAWS(clients: AWSClients, refusal: WriteFence): AWSClients {
  const fenced = Object.entries(clients).map(([service, client]) => [
    service,
    typeof client === 'object' && client !== null ? fenceService(client, refusal) : client,
  ])
  return Object.fromEntries(fenced) as AWSClients
}

function fenceService<T extends object>(client: T, refusal: WriteFence): T {
  return new Proxy(client, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      if (typeof name === 'string' && awsWrites.has(name)) {
        return (...args: unknown[]) => {
          const refused = refusal(name)
          return refused === undefined ? Reflect.apply(method, target, args) : Promise.reject(refused)
        }
      }
      return method.bind(target)
    },
  })
}
