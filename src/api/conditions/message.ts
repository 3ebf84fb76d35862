/** As long as the message of a condition may be, in characters: for a longer one an API server refuses the status as a whole. */
const lengthMax = 32_768

/** The message itself, or as much of it as a condition takes. */
export function conditionMessage(text: string): string {
  // A pair that was cut in two is no character any more, and would be stored as another one.
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 3).toWellFormed()}...`
}
