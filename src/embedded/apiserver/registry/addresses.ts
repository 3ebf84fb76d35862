import { isIP } from 'node:net'

export const ipDetail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
export const rangeDetail = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'

/** Whether the text is an address with the length of a prefix. */
export function isRange(text: string): boolean {
  return bitsOf(text) !== undefined
}

/** Whether every address of one range lies in the other, which has more. */
export function isWithin(inner: string, outer: string): boolean {
  const [narrow, wide] = [bitsOf(inner), bitsOf(outer)]
  if (narrow === undefined || wide === undefined) return false
  return narrow.length > wide.length && narrow.startsWith(wide)
}

/** The bits that all addresses of a range have in common. */
function bitsOf(range: string): string | undefined {
  const [address = '', length = '', ...more] = range.split('/')
  const version = isIP(address)
  const bits = version === 4 ? 32 : 128
  if (version === 0 || more.length > 0 || !/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined
  const written = version === 4 ? bytesOf(address) : wordsOf(address)
  return `${version}:${written.slice(0, Number(length))}`
}

function bytesOf(address: string): string {
  return address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
}

function wordsOf(address: string): string {
  const [head = '', tail] = address.split('::')
  const parts = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'))
  const [first, last] = [parts(head), parts(tail)]
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
  return [...first, ...zeros, ...last].map((word) => Number.parseInt(word, 16).toString(2).padStart(16, '0')).join('')
}
