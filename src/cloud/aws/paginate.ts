interface Page {
  readonly NextToken?: string | undefined
}

/**
 * Reads pages until the service gives no token. `pagesMax` bounds a service that never stops: the largest list we read has
 * tens of thousands of rows.
 */
export async function readPages<P extends Page, T>(
  read: (token: { NextToken?: string }) => Promise<P>,
  itemsOf: (page: P) => readonly T[] | undefined,
  pagesMax = 2_000,
): Promise<T[]> {
  const items: T[] = []
  let token: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await read(token === undefined ? {} : { NextToken: token })
    for (const item of itemsOf(answer) ?? []) items.push(item)
    token = answer.NextToken
    if (token === undefined || token === '') return items
  }
  throw new PagingError(pagesMax)
}

class PagingError extends Error {
  readonly code = 'Paging'
  constructor(pages: number) {
    super(`gave up after ${pages} pages`)
    this.name = 'PagingError'
  }
}
