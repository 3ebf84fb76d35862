import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recordedFile, recordRollout, withoutSeconds, withRecording } from '../../support/rollout-recording.ts'

test('the recorded session of the docs is what the commands print (npm run docs:recording makes it anew)', async () => {
  const text = readFileSync(join(import.meta.dirname, '../../..', recordedFile), 'utf8')
  expect(withoutSeconds(withRecording(text, await recordRollout()))).toBe(withoutSeconds(text))
}, 180_000)
