import type { IncomingHttpHeaders } from 'node:http'

/** The texts of the Warning headers, which are `299 - "text"` each. */
export function warningTexts(headers: IncomingHttpHeaders): string[] {
  const value = headers['warning']
  const text = Array.isArray(value) ? value.join(', ') : (value ?? '')
  return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, quoted]) => (quoted ?? '').replace(/\\(.)/g, '$1'))
}
