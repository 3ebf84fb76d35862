import { type FieldError, field } from '../../errors.ts'
import { at as valueAt, isObject, numberAt, objectAt } from '../../json.ts'
import { portNameErrors, portNumberErrors } from './ports.ts'

/** In the order in which they are looked for. */
const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc']
const durations = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

export function probeErrors(container: unknown, path: string): FieldError[] {
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) => {
    const probe = objectAt(container, name)
    if (probe === undefined) return []
    const at = `${path}.${name}`
    const errors: FieldError[] = []
    const present = handlers.filter((handler) => isObject(probe[handler]))
    if (present.length === 0) errors.push(field.required(at, 'must specify a handler type'))
    present.forEach((handler, index) => {
      if (index > 0) errors.push(field.forbidden(`${at}.${handler}`, 'may not specify more than 1 handler type'))
      else if (handler !== 'exec')
        errors.push(...targetErrors(valueAt(probe, handler, 'port'), `${at}.${handler}.port`))
    })
    for (const duration of durations) {
      const value = numberAt(probe, duration) ?? 0
      if (value < 0) errors.push(field.invalid(`${at}.${duration}`, value, 'must be greater than or equal to 0'))
    }
    const successes = numberAt(probe, 'successThreshold') ?? 1
    if (name !== 'readinessProbe' && successes !== 1) {
      errors.push(field.invalid(`${at}.successThreshold`, successes, 'must be 1'))
    }
    return errors
  })
}

/** A probe names its port by number, or by the name that the container gives it. */
function targetErrors(port: unknown, at: string): FieldError[] {
  return typeof port === 'string' ? portNameErrors(port, at) : portNumberErrors(typeof port === 'number' ? port : 0, at)
}
