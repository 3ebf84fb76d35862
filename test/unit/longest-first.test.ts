import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { longest } from '../support/longest-first.ts'

test.each(longest)('%s, which is to begin early, is there', async (path) => {
  await expect(access(join(import.meta.dirname, '..', '..', path))).resolves.toBeUndefined()
})
