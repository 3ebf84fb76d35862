const decimalSuffixes = ['', 'k', 'M', 'G', 'T', 'P', 'E']
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

/** The spelling a quantity has after Go has read and printed it: 1024Gi becomes 1Ti. Text that is no whole quantity stays as it is. */
export function canonicalQuantityText(text: string): string {
  const match = /^(\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[kMGTPE])?$/.exec(text)
  if (match?.[1] === undefined) return text
  const suffix = match[2] ?? ''
  const isBinary = suffix.endsWith('i')
  const suffixes = isBinary ? binarySuffixes : decimalSuffixes
  const step = isBinary ? 1024n : 1000n
  let amount = BigInt(match[1])
  let index = suffixes.indexOf(suffix)
  while (amount !== 0n && amount % step === 0n && index < suffixes.length - 1) {
    amount /= step
    index += 1
  }
  return amount === 0n ? '0' : `${amount}${suffixes[index] ?? ''}`
}
