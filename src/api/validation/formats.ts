const dateTime = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const date = /^\d{4}-\d{2}-\d{2}$/
const uuid = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/** The format that text fails to have; undefined for valid text and for formats that API servers ignore. */
export function failedFormat(format: string | undefined, text: string): string | undefined {
  switch (format ?? '') {
    case 'date-time':
    case 'datetime':
      return dateTime.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
        ? undefined
        : 'date-time'
    case 'date':
      return date.test(text) && isDay(text) ? undefined : 'date'
    case 'uuid':
      return uuid.test(text) ? undefined : 'uuid'
    default:
      return undefined
  }
}

/**
 * Milliseconds since the epoch of what has the format `date-time`, as API servers take it in a field; undefined for other text. What Go's
 * `time.Parse` reads, `parseRFC3339`, differs from it at the edges: `t` and `z` in lower case, commas, hours of one digit.
 */
export function parseDateTime(text: string): number | undefined {
  return failedFormat('date-time', text) === undefined ? Date.parse(text) : undefined
}

/** JavaScript carries 30 February over to 2 March instead of refusing it, as Go does. */
export function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
