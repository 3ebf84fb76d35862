import type { HostPort } from '../model/pod.ts'

/** A port in use, and the pod (`namespace/name`) or the DaemonSet (`DaemonSet namespace/name`) that uses it. */
export interface HeldPort {
  readonly port: HostPort
  readonly pod: string
}

/** The first port in use that stands in the way. A pod never conflicts with itself. */
export function portConflict(
  wanted: readonly HostPort[],
  pod: string,
  held: readonly HeldPort[],
): HeldPort | undefined {
  for (const port of wanted) {
    for (const other of held) if (other.pod !== pod && clash(port, other.port)) return other
  }
  return undefined
}

function clash(a: HostPort, b: HostPort): boolean {
  return a.protocol === b.protocol && a.port === b.port && (a.ip === b.ip || isAny(a.ip) || isAny(b.ip))
}

function isAny(ip: string): boolean {
  return ip === '0.0.0.0' || ip === '::'
}
