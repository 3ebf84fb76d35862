/** A family's value times the size's factor gives a price; types that do not follow their family are listed apart and win. */
export interface PriceTable {
  readonly families: ReadonlyMap<string, number>
  readonly types: ReadonlyMap<string, number>
}

/** From lists of `name=price`. */
export function priceTable(families: string, types: string): PriceTable {
  return { families: parse(families), types: parse(types) }
}

function parse(text: string): ReadonlyMap<string, number> {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .map((entry): [string, number] => {
        const [name = '', price] = entry.split('=')
        return [name, Number(price)]
      }),
  )
}
