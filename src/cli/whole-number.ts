import { InvalidArgumentError } from 'commander'

/** Reads the argument of an option: digits alone. @throws InvalidArgumentError for what is no whole number from `least` to `most` */
export function wholeNumber(least: number, most?: number): (text: string) => number {
  return (text) => {
    const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(number) || number < least || (most !== undefined && number > most)) {
      throw new InvalidArgumentError(
        `expected a whole number, ${least} ${most === undefined ? 'or more' : `to ${most}`}`,
      )
    }
    return number
  }
}
