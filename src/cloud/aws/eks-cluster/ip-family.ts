export function isIPv6(address: string): boolean {
  return address.includes(':')
}
