import { InvalidArgumentError } from 'commander'

/** Reads the argument of an option. @throws InvalidArgumentError for what is no whole number from `least` on */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const number = text.trim() === '' ? Number.NaN : Number(text)
    if (!Number.isSafeInteger(number) || number < least) {
      throw new InvalidArgumentError(`expected a whole number, ${least} or more`)
    }
    return number
  }
}
