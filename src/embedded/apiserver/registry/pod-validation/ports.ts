import { type FieldError, field } from '../../errors.ts'
import { arrayAt, numberAt, textAt } from '../../json.ts'

const portMax = 65_535
const protocols = ['SCTP', 'TCP', 'UDP']
const nameLengthMax = 15

interface Surroundings {
  readonly hostNetwork: boolean
  /** Ports of the host that containers before took; grows. */
  readonly hostPorts: Set<string>
}

/** The ports that a container names. */
export function portErrors(container: unknown, { hostNetwork, hostPorts }: Surroundings, path: string): FieldError[] {
  const names = new Set<string>()
  return arrayAt(container, 'ports').flatMap((port, index) => {
    const at = `${path}.ports[${index}]`
    const errors: FieldError[] = []
    const name = textAt(port, 'name') ?? ''
    if (name !== '') {
      errors.push(...portNameErrors(name, `${at}.name`))
      if (names.has(name)) errors.push(field.duplicate(`${at}.name`, name))
      names.add(name)
    }
    const containerPort = numberAt(port, 'containerPort') ?? 0
    const hostPort = numberAt(port, 'hostPort') ?? 0
    const protocol = textAt(port, 'protocol') ?? ''
    if (containerPort === 0) errors.push(field.required(`${at}.containerPort`))
    else errors.push(...portNumberErrors(containerPort, `${at}.containerPort`))
    if (hostPort !== 0) {
      errors.push(...portNumberErrors(hostPort, `${at}.hostPort`))
      if (hostNetwork && hostPort !== containerPort) {
        const detail = 'must match `containerPort` when `hostNetwork` is true'
        errors.push(field.invalid(`${at}.hostPort`, hostPort, detail))
      }
      const taken = `${protocol}/${textAt(port, 'hostIP') ?? ''}/${hostPort}`
      if (hostPorts.has(taken)) errors.push(field.duplicate(`${at}.hostPort`, taken))
      hostPorts.add(taken)
    }
    if (protocol === '') errors.push(field.required(`${at}.protocol`))
    else if (!protocols.includes(protocol)) errors.push(field.notSupported(`${at}.protocol`, protocol, protocols))
    return errors
  })
}

export function portNumberErrors(port: number, at: string): FieldError[] {
  return port >= 1 && port <= portMax ? [] : [field.invalid(at, port, `must be between 1 and ${portMax}, inclusive`)]
}

/** Names of ports are those of services. */
export function portNameErrors(name: string, at: string): FieldError[] {
  const problems: string[] = []
  if (name.length > nameLengthMax) problems.push(`must be no more than ${nameLengthMax} characters`)
  if (!/^[-a-z0-9]+$/.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)')
  if (name.includes('--')) problems.push('must not contain consecutive hyphens')
  if (/^-|-$/.test(name)) problems.push('must not begin or end with a hyphen')
  return problems.map((problem) => field.invalid(at, name, problem))
}
