import type { KubeConfig, User } from '@kubernetes/client-node'
import { isRecord, type JsonRecord } from '../api/json.ts'

type Headers = Readonly<Record<string, string[]>>

/** A user of a kubeconfig with the headers that client-node, which reads `as` alone, leaves out. */
interface ImpersonatingUser extends User {
  readonly impersonation?: Headers
}

/** The users with what the entries that they were read from say in `as-uid`, `as-groups` and `as-user-extra`. */
export function withImpersonation(users: readonly User[], entries: readonly JsonRecord[]): User[] {
  const byName = new Map(entries.map((entry) => [entry['name'], entry['user']]))
  return users.map((user): ImpersonatingUser => {
    const told = byName.get(user.name)
    return isRecord(told) ? { ...user, impersonation: headersOf(told) } : user
  })
}

/**
 * Without a name nobody is acted as, and what is asked for would be done with all the rights of the user.
 * @throws Error, as kubectl says it
 */
export function requireImpersonatedName(config: KubeConfig): void {
  const user = config.getCurrentUser()
  if ((user?.impersonateUser ?? '') !== '' || Object.keys(impersonationHeaders(user)).length === 0) return
  throw new Error(`requesting uid, groups or user-extra for ${user?.name} without impersonating a user`)
}

export function impersonationHeaders(user: ImpersonatingUser | null): Headers {
  return user?.impersonation ?? {}
}

/** Each group and value is a line of its own: API servers take several in one line for a single name. */
function headersOf(told: JsonRecord): Headers {
  const { 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = told
  const lines: readonly (readonly [name: string, values: string[]])[] = [
    ['impersonate-uid', textsOf([uid])],
    ['impersonate-group', textsOf(groups)],
    ...Object.entries(isRecord(extra) ? extra : {}).map(
      ([name, values]) => [`impersonate-extra-${escaped(name)}`, textsOf(values)] as const,
    ),
  ]
  return Object.fromEntries(lines.filter(([, values]) => values.length > 0))
}

/** As client-go does it: the name of a header may have no stroke, as `example.org/team` has. */
function escaped(name: string): string {
  return encodeURIComponent(name).replaceAll(/[()]/g, (bracket) => `%${bracket.charCodeAt(0).toString(16)}`)
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each !== '') : []
}
