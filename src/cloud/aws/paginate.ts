interface Page {
  readonly NextToken?: string | undefined
}

/**
 * Reads pages until the service gives no token. `pagesMax` bounds a service that never stops: the largest list we read has
 * tens of thousands of rows. One that gives the token back that it was sent would repeat the page until then.
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
    const next = answer.NextToken
    if (next === undefined || next === '') return items
    if (next === token) throw new PagingError('gave up: a page names itself as the next')
    token = next
  }
  throw new PagingError(`gave up after ${pagesMax} pages`)
}

class PagingError extends Error {
  readonly code = 'Paging'
  override readonly name = 'PagingError'
}
