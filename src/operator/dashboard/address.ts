import { isIP } from 'node:net'

/** Where a server listens; without a host on all addresses. */
export interface ListenAddress {
  readonly host: string | undefined
  readonly port: number
}

/** `127.0.0.1:8090`, `[::1]:8090`, `localhost:8090` or, for all addresses, `:8090`; undefined for anything else. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const [, bracketed, plain = '', digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === '' || port > 65_535) return undefined
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? { host: bracketed, port } : undefined
  if (plain === '') return { host: undefined, port }
  return isIP(plain) === 4 || plain === 'localhost' ? { host: plain, port } : undefined
}

/** Whether only this machine can reach it. */
export function isLoopback(host: string | undefined): boolean {
  return host === 'localhost' || host === '::1' || (host !== undefined && /^127(\.[0-9]{1,3}){3}$/.test(host))
}
