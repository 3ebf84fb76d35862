import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { readListPage } from '../../../src/kube/list-page.ts'

/** As kube-apiserver writes a page of its own kinds. */
function pageText(items: readonly object[], metadata: object = { resourceVersion: '7', continue: 'more' }): string {
  return `${JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items })}\n`
}

const named = (name: string, more: object = {}) => ({ metadata: { name, ...more }, spec: {} })

describe('a page of a list', () => {
  test('is decoded item by item, as they are taken', () => {
    const parse = vi.spyOn(JSON, 'parse')
    try {
      const page = readListPage(pageText([named('a'), named('b'), named('c')]))
      expect(page).toMatchObject({ resourceVersion: '7', continue: 'more' })
      const decoded = (): readonly string[] =>
        parse.mock.calls.map(([text]) => text).filter((text) => text.includes('"name"'))
      expect(decoded()).toEqual([])
      const items = page.items[Symbol.iterator]()
      expect(items.next().value).toEqual(named('a'))
      expect(decoded()).toEqual([JSON.stringify(named('a'))])
      expect([items.next().value, items.next().value]).toEqual([named('b'), named('c')])
      expect(decoded()).toHaveLength(3)
      expect(items.next().done).toBe(true)
    } finally {
      parse.mockRestore()
    }
  })

  const mark = named('inner')
  const cases: Readonly<Record<string, readonly object[]>> = {
    'of one item': [named('a')],
    'of none': [],
    'whose items hold what looks like the next one': [named('a', { of: [mark, mark] }), named('b'), named('c')],
    'whose texts hold what looks like the next one': [named('a', { text: ',{"metadata":{"name":"x' }), named(']}')],
    'whose items do not begin with a name': [{ spec: {}, metadata: { name: 'a' } }, named('b')],
  }
  test.each(Object.entries(cases))('%s', (_name, items) => {
    expect([...readListPage(pageText(items)).items]).toEqual(items)
  })

  test('with the items in the middle, as lists of custom resources are', () => {
    const items = [named('a'), named('b')]
    const text = JSON.stringify({ apiVersion: 'v1', items, kind: 'XList', metadata: { resourceVersion: '9' } })
    const page = readListPage(text)
    expect([...page.items]).toEqual(items)
    expect(page).toMatchObject({ resourceVersion: '9', continue: undefined })
  })

  test('whose first mark of items is not that of the list', () => {
    const text = `{"metadata":{"items":[{"metadata":{"name":"x"}}],"resourceVersion":"3"},"items":[${JSON.stringify(named('a'))}]}`
    const page = readListPage(text)
    expect([...page.items]).toEqual([named('a')])
    expect(page.resourceVersion).toBe('3')
  })

  test.each([
    ['an empty continue token', { resourceVersion: '1', continue: '' }],
    ['no token', { resourceVersion: '1' }],
  ])('is the last one with %s', (_name, metadata) => {
    expect(readListPage(pageText([named('a')], metadata)).continue).toBeUndefined()
  })

  test.each([
    ['no items', '{"metadata":{"resourceVersion":"1"}}'],
    ['null for items', '{"metadata":{"resourceVersion":"1"},"items":null}'],
  ])('with %s is empty', (_name, text) => {
    expect([...readListPage(text).items]).toEqual([])
  })

  test.each([
    ['nothing', '{}'],
    ['the health of somebody else', '{"status":"ok"}'],
    ['a Status', '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success"}'],
    ['items that are none', '{"metadata":{"resourceVersion":"1"},"items":{}}'],
    ['a list of another sort', '[]'],
    ['a word', '"ok"'],
    ['null', 'null'],
  ])('is not what says %s', (_name, text) => {
    expect(() => readListPage(text)).toThrow('something that is no list')
  })

  test('that is cut off or garbled is refused, at the latest where it is', () => {
    const text = pageText([named('a'), named('b'), named('c')])
    expect(() => readListPage(text.slice(0, -10))).toThrow(SyntaxError)
    expect(() => readListPage('<html>')).toThrow(SyntaxError)
    const taken: unknown[] = []
    expect(() => {
      for (const item of readListPage(text.replace('{"name":"b"}', '{"name":"b"')).items) taken.push(item)
    }).toThrow(SyntaxError)
    expect(taken).toEqual([named('a')])
  })

  test('reads as when it is decoded whole, whatever the items hold', () => {
    const items = fc.array(
      fc.record({
        metadata: fc.record({ name: fc.string(), notes: fc.jsonValue() }),
        spec: fc.oneof(fc.jsonValue(), fc.constant([mark, { a: [mark] }])),
      }),
    )
    fc.assert(
      fc.property(items, (some) => {
        const text = pageText(some)
        expect([...readListPage(text).items]).toEqual(JSON.parse(text).items)
      }),
    )
  })
})
