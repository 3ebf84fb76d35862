import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { messageOf } from '../../../src/api/error-text.ts'

test('where none of several addresses answers, what became of each is told', async () => {
  // Nothing listens at port 1 of this machine, whichever address it is asked at.
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }))
  const error = await new Promise<Error>((resolve) => {
    connect({ host: 'of several addresses', port: 1, lookup: (_host, _options, done) => done(null, addresses) }).on(
      'error',
      resolve,
    )
  })
  expect(error.message).toBe('')
  expect(messageOf(error)).toBe('connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1')
})

test('a text that was thrown is its own message', () => {
  expect(messageOf('no')).toBe('no')
  expect(messageOf(new AggregateError([new Error('a'), new Error('b')], 'two failed'))).toBe('two failed')
})
