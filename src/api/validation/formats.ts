const dateTime = /^\d{4}-\d{2}-\d{2}[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const date = /^\d{4}-\d{2}-\d{2}$/
const uuid = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/** The format that text fails to have; undefined for valid text and for formats that API servers ignore. */
export function failedFormat(format: string | undefined, text: string): string | undefined {
  switch (format ?? '') {
    case 'date-time':
    case 'datetime':
      return dateTime.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : 'date-time'
    case 'date':
      return date.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : 'date'
    case 'uuid':
      return uuid.test(text) ? undefined : 'uuid'
    default:
      return undefined
  }
}
