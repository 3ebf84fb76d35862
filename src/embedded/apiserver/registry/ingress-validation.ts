import { isIP } from 'node:net'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, at, type JsonObject, numberAt, objectAt, textAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { labelProblem, subdomainProblem } from './names.ts'

export function ingressErrors(ingress: IncomingObject): readonly FieldError[] {
  const spec = objectAt(ingress, 'spec') ?? {}
  const rules = arrayAt(spec, 'rules')
  const errors: FieldError[] = []
  if (rules.length === 0 && spec['defaultBackend'] === undefined) {
    const detail = 'either `defaultBackend` or `rules` must be specified'
    errors.push(field.invalid('spec', at(spec, 'rules') ?? null, detail))
  }
  if (spec['defaultBackend'] !== undefined) errors.push(...backendErrors(spec['defaultBackend'], 'spec.defaultBackend'))
  errors.push(...rules.flatMap((rule, index) => ruleErrors(rule, `spec.rules[${index}]`)))
  arrayAt(spec, 'tls').forEach((tls, index) => {
    const path = `spec.tls[${index}]`
    arrayAt(tls, 'hosts').forEach((host, place) => errors.push(...hostErrors(String(host), `${path}.hosts[${place}]`)))
    errors.push(...nameErrors(textAt(tls, 'secretName') ?? '', `${path}.secretName`))
  })
  return [...errors, ...nameErrors(textAt(spec, 'ingressClassName') ?? '', 'spec.ingressClassName')]
}

function nameErrors(name: string, path: string): FieldError[] {
  const problem = name === '' ? undefined : subdomainProblem(name)
  return problem === undefined ? [] : [field.invalid(path, name, problem)]
}

const wildcard = String.raw`\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*`

function hostErrors(host: string, path: string): FieldError[] {
  if (!host.includes('*')) return nameErrors(host, path)
  if (new RegExp(`^${wildcard}$`).test(host)) return []
  const detail = `a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '${wildcard}')`
  return [field.invalid(path, host, detail)]
}

function ruleErrors(rule: unknown, path: string): FieldError[] {
  const host = textAt(rule, 'host') ?? ''
  const errors: FieldError[] = []
  if (isIP(host) !== 0) errors.push(field.invalid(`${path}.host`, host, 'must be a DNS name, not an IP address'))
  else if (host !== '') errors.push(...hostErrors(host, `${path}.host`))
  const http = objectAt(rule, 'http')
  if (http === undefined) return errors
  const paths = arrayAt(http, 'paths')
  if (paths.length === 0) errors.push(field.required(`${path}.http.paths`))
  return [...errors, ...paths.flatMap((each, index) => pathErrors(each, `${path}.http.paths[${index}]`))]
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix']
/** What a path may not hold, so that it means one thing only. */
const ambiguous = ['//', '/./', '/../', '%2f', '%2F']

function pathErrors(rule: unknown, at: string): FieldError[] {
  const path = textAt(rule, 'path') ?? ''
  const type = textAt(rule, 'pathType')
  const errors: FieldError[] = []
  if (type === undefined) errors.push(field.required(`${at}.pathType`, 'pathType must be specified'))
  else if (!pathTypes.includes(type)) errors.push(field.notSupported(`${at}.pathType`, type, pathTypes))
  else if (type !== 'ImplementationSpecific') {
    if (!path.startsWith('/')) errors.push(field.invalid(`${at}.path`, path, 'must be an absolute path'))
    for (const part of ambiguous.filter((one) => path.includes(one))) {
      errors.push(field.invalid(`${at}.path`, path, `must not contain '${part}'`))
    }
    for (const end of ['/..', '/.'].filter((one) => path.endsWith(one))) {
      errors.push(field.invalid(`${at}.path`, path, `cannot end with '${end}'`))
    }
  } else if (path !== '' && !path.startsWith('/')) {
    errors.push(field.invalid(`${at}.path`, path, 'must be an absolute path'))
  }
  return [...errors, ...backendErrors(objectAt(rule, 'backend') ?? {}, `${at}.backend`)]
}

function backendErrors(backend: unknown, path: string): FieldError[] {
  const service = objectAt(backend, 'service')
  const resource = objectAt(backend, 'resource')
  if (service !== undefined && resource !== undefined) {
    return [field.invalid(path, '', 'cannot set both resource and service backends')]
  }
  if (resource !== undefined) return resourceErrors(resource, `${path}.resource`)
  if (service === undefined) return [field.invalid(path, '', 'resource or service backend is required')]
  return serviceErrors(service, path)
}

function resourceErrors(resource: JsonObject, path: string): FieldError[] {
  return ['kind', 'name']
    .filter((name) => (textAt(resource, name) ?? '') === '')
    .map((name) => field.required(`${path}.${name}`))
}

function serviceErrors(service: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  const name = textAt(service, 'name') ?? ''
  const problem = name === '' ? undefined : labelProblem(name)
  if (name === '') errors.push(field.required(`${path}.service.name`))
  else if (problem !== undefined) errors.push(field.invalid(`${path}.service.name`, name, problem))
  const portName = textAt(service, 'port', 'name') ?? ''
  const number = numberAt(service, 'port', 'number') ?? 0
  if (portName !== '' && number !== 0) {
    errors.push(field.invalid(path, '', 'cannot set both port name & port number'))
  } else if (portName === '' && number === 0) {
    errors.push(field.required(path, 'port name or number is required'))
  } else if (number !== 0 && (number < 1 || number > 65_535)) {
    errors.push(field.invalid(`${path}.service.port.number`, number, 'must be between 1 and 65535, inclusive'))
  }
  return errors
}

export function ingressClassErrors(object: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const controller = textAt(object, 'spec', 'controller') ?? ''
  const before = textAt(old, 'spec', 'controller')
  if (before !== undefined && controller !== before) {
    return [field.invalid('spec.controller', controller, 'field is immutable')]
  }
  if (controller === '') return [field.required('spec.controller')]
  const [domain = '', path = ''] = controller.split(/\/(.*)/s)
  if (!controller.includes('/')) {
    return [field.invalid('spec.controller', controller, 'must be a domain-prefixed path (such as "acme.io/foo")')]
  }
  const problem = subdomainProblem(domain)
  if (problem !== undefined) return [field.invalid('spec.controller', domain, problem)]
  if (path === '') return [field.invalid('spec.controller', path, 'Invalid path')]
  return []
}
