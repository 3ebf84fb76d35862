/** CPUs of a quantity such as `8` or `500m`. */
export function parseQuantity(text: string | number): number {
  const value = String(text)
  return value.endsWith('m') ? Number(value.slice(0, -1)) / 1000 : Number(value)
}
