const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/
const date = /^\d{4}-\d{2}-\d{2}$/

/** What is wrong with text of a format that API servers check; undefined for valid text and for formats they ignore. */
export function formatError(format: string | undefined, text: string): string | undefined {
  switch (format ?? '') {
    case 'date-time':
    case 'datetime':
      return dateTime.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : mustBe('date-time', text)
    case 'date':
      return date.test(text) && !Number.isNaN(Date.parse(text)) ? undefined : mustBe('date', text)
    case 'uuid':
      return /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text) ? undefined : mustBe('uuid', text)
    default:
      return undefined
  }
}

function mustBe(format: string, text: string): string {
  return `must be of type ${format}: ${JSON.stringify(text)}`
}
