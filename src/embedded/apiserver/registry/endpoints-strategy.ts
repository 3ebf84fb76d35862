import { isIP } from 'node:net'
import { field, type FieldError } from '../errors.ts'
import { arrayAt, isObject, type JsonObject, numberAt, textAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { ipDetail } from './addresses.ts'
import { withDefaults } from './pod-defaults.ts'

export function defaultEndpoints(endpoints: IncomingObject): IncomingObject {
  const subsets = arrayAt(endpoints, 'subsets').map((subset) => {
    const ports = arrayAt(subset, 'ports').map((port) =>
      isObject(port) ? withDefaults(port, { protocol: 'TCP' }) : port,
    )
    return isObject(subset) && ports.length > 0 ? { ...subset, ports } : subset
  })
  return subsets.length === 0 ? endpoints : withAt(endpoints, ['subsets'], subsets)
}

/** Ports of a slice have a name and a protocol, be it the empty name: kubectl counts on it. */
export function defaultSlice(slice: IncomingObject): IncomingObject {
  const ports = arrayAt(slice, 'ports').map((port) =>
    isObject(port) ? withDefaults(port, { name: '', protocol: 'TCP' }) : port,
  )
  const endpoints = arrayAt(slice, 'endpoints').map((endpoint) =>
    isObject(endpoint) ? withDefaults(endpoint, { conditions: {} }) : endpoint,
  )
  const defaulted: JsonObject = {
    ...(ports.length === 0 ? {} : { ports }),
    ...(endpoints.length === 0 ? {} : { endpoints }),
  }
  return { ...slice, ...defaulted }
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6']

export function sliceErrors(slice: IncomingObject): readonly FieldError[] {
  const type = textAt(slice, 'addressType') ?? ''
  if (!addressTypes.includes(type)) return [field.notSupported('addressType', type, addressTypes)]
  if (type === 'FQDN') return []
  return arrayAt(slice, 'endpoints').flatMap((endpoint, index) =>
    arrayAt(endpoint, 'addresses').flatMap((address, place) => {
      const path = `endpoints[${index}].addresses[${place}]`
      const version = isIP(String(address))
      if (version === 0) return [field.invalid(path, address, ipDetail)]
      if (version === (type === 'IPv4' ? 4 : 6)) return []
      return [field.invalid(path, address, `must be an ${type} address`)]
    }),
  )
}

const endpointsShown = 3

/** As kubectl prints them: the first three, and how many there are beyond. */
export function endpointsText(endpoints: StoredObject): string {
  const all = arrayAt(endpoints, 'subsets').flatMap((subset) => {
    const addresses = arrayAt(subset, 'addresses').map((address) => textAt(address, 'ip') ?? '')
    const ports = arrayAt(subset, 'ports').map((port) => numberAt(port, 'port') ?? 0)
    if (ports.length === 0) return addresses
    return ports.flatMap((port) => addresses.map((address) => `${address}:${port}`))
  })
  return shortened(all) || '<none>'
}

export function slicePorts(slice: StoredObject): string {
  const ports = arrayAt(slice, 'ports').map((port) => String(numberAt(port, 'port') ?? textAt(port, 'name') ?? ''))
  return shortened(ports) || '<unset>'
}

export function sliceAddresses(slice: StoredObject): string {
  const all = arrayAt(slice, 'endpoints').flatMap((endpoint) => arrayAt(endpoint, 'addresses').map(String))
  return shortened(all) || '<unset>'
}

function shortened(texts: readonly string[]): string {
  const more = texts.length - endpointsShown
  return more > 0 ? `${texts.slice(0, endpointsShown).join(',')} + ${more} more...` : texts.join(',')
}
