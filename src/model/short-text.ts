/** The text itself, or as much of it as `lengthMax` leaves room for, with a sign that it was cut. */
export function shortText(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`
}
