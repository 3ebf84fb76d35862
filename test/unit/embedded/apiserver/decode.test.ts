import { expect, test } from 'vitest'
import { builtinType } from '../../../../src/embedded/apiserver/types/builtin.ts'
import { decode } from '../../../../src/embedded/apiserver/types/decode.ts'

test('a null in a map is the zero of what the map holds: no text, no amount', () => {
  const container = { name: 'a', resources: { requests: { cpu: '1', memory: null }, limits: null } }
  expect(decode(builtinType('V1Container'), container)).toEqual({
    value: { name: 'a', resources: { requests: { cpu: '1', memory: '0' } } },
    unknown: [],
    errors: [],
  })
  const metadata = { labels: { team: null } }
  expect(decode(builtinType('V1ObjectMeta'), metadata)).toEqual({
    value: { labels: { team: '' } },
    unknown: [],
    errors: [],
  })
})
