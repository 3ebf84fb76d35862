import { isRecord } from '../api/json.ts'
import { KubeError } from './errors.ts'

/** A page of a list as the API server answered it. */
export interface ListPage {
  readonly items: Iterable<object>
  readonly resourceVersion: string
  /** Set when there are more pages. */
  readonly continue: string | undefined
}

interface ListAnswer {
  readonly items?: readonly object[] | null
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
}

/** How kube-apiserver writes lists of its own kinds: the items come last, and each begins with its name. */
const itemsOpen = '"items":['
const itemOpen = '{"metadata":{"name":"'
const itemsClose = ']}'

/**
 * Reads a page whose items stay text until they are taken, one after the other: what is decoded of five hundred pods is a multiple of
 * what is kept, and most of it need not exist at the same time. Lists that are written in another way are decoded whole.
 *
 * @throws SyntaxError when the text is not JSON, KubeError when it is no list
 */
export function readListPage(text: string): ListPage {
  const start = text.indexOf(itemsOpen) + itemsOpen.length
  const end = text.trimEnd().length - itemsClose.length
  const isCuttable = text.startsWith(itemOpen, start) && text.startsWith(itemsClose, end)
  const head = isCuttable ? tryParse(text.slice(0, start) + itemsClose) : undefined
  // The head stands alone only when these items are those of the list.
  if (head === undefined) return pageOf(asList(JSON.parse(text)))
  return pageOf(asList(head), { [Symbol.iterator]: () => cutItems(text, start, end) })
}

/** Whatever stands before the API server may answer in its place: taken for a list, that would be one of nothing at all. */
function asList(answer: unknown): ListAnswer {
  const list: ListAnswer = isRecord(answer) ? answer : {}
  if (Array.isArray(list.items)) return list
  if ((list.items ?? undefined) === undefined && typeof list.metadata?.resourceVersion === 'string') return list
  throw new KubeError('Unknown', 0, 'the API server answered with something that is no list')
}

function pageOf({ metadata, items }: ListAnswer, lazy?: Iterable<object>): ListPage {
  const more = metadata?.continue
  return {
    items: lazy ?? items ?? [],
    resourceVersion: metadata?.resourceVersion ?? '',
    continue: more === '' ? undefined : more,
  }
}

/** What parses is a whole item, since its brackets close; the mark of the next one may also stand within an item, so a cut may be too short. */
function* cutItems(text: string, start: number, end: number): Generator<object> {
  let from = start
  while (from < end) {
    const next = text.indexOf(`,${itemOpen}`, from)
    const to = next === -1 ? end : next
    const item = tryParse(text.slice(from, to))
    if (item === undefined) {
      yield* JSON.parse(`[${text.slice(from, end)}]`) as object[]
      return
    }
    yield item
    from = to + 1
  }
}

function tryParse(text: string): object | undefined {
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}
