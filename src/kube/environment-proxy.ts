import { BlockList, isIP } from 'node:net'
import type { KubeConfig } from '@kubernetes/client-node'
import { isLoopback } from './http-credentials.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Has the current cluster be reached as kubectl reaches it: through the proxy of the environment, where it names none of its own. */
export function takeEnvironmentProxy(config: KubeConfig, env: Environment): void {
  const current = config.getCurrentCluster()
  const proxyUrl = current === null || (current.proxyUrl ?? '') !== '' ? undefined : proxyFor(current.server, env)
  if (proxyUrl === undefined) return
  config.clusters = config.clusters.map((cluster) => (cluster === current ? { ...cluster, proxyUrl } : cluster))
}

/** By the rules of Go: HTTPS_PROXY, or HTTP_PROXY for plain HTTP, unless NO_PROXY excepts the host; never to this machine itself. */
export function proxyFor(server: string, env: Environment): string | undefined {
  const url = URL.parse(server)
  if (url === null || isLoopback(url.hostname)) return undefined
  const isTLS = url.protocol === 'https:'
  const proxy = isTLS ? setting(env, 'HTTPS_PROXY') : setting(env, 'HTTP_PROXY')
  const address = {
    host: url.hostname.replaceAll(/[[\]]/g, ''),
    port: url.port === '' ? (isTLS ? '443' : '80') : url.port,
  }
  if (proxy === '' || entriesOf(setting(env, 'NO_PROXY')).some((entry) => excepts(entry, address))) return undefined
  return proxy.includes('://') ? proxy : `http://${proxy}`
}

/** In capitals it counts first. */
function setting(env: Environment, name: string): string {
  const value = env[name] ?? ''
  return value === '' ? (env[name.toLowerCase()] ?? '') : value
}

function entriesOf(noProxy: string): readonly string[] {
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '')
}

interface Address {
  readonly host: string
  readonly port: string
}

/** An entry is `*`, a network, an address, or a domain, which but for a dot before it is a host as well; the latter perhaps with a port. */
function excepts(entry: string, { host, port }: Address): boolean {
  if (entry === '*') return true
  const [, network, length] = /^(.+)\/(\d+)$/.exec(entry) ?? []
  if (network !== undefined) return isWithin(host, network, Number(length))
  const [, name = entry, ofPort = port] = isIP(entry) > 0 ? [] : (/^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [])
  if (ofPort !== port) return false
  if (isIP(name) > 0) return host === name
  const domain = name.replace(/^\*\./, '.')
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`)
}

function isWithin(host: string, network: string, length: number): boolean {
  const [version, ofHost] = [isIP(network), isIP(host)]
  if (version === 0 || version !== ofHost || length > (version === 4 ? 32 : 128)) return false
  const type = version === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(network, length, type)
  return list.check(host, type)
}
