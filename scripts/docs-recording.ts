import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedFile, recordRollout, withRecording } from '../test/support/rollout-recording.ts'

/** `npm run docs:recording`: records the session of the docs anew. A scenario holds the docs against what the commands print. */
const path = join(import.meta.dirname, '..', recordedFile)
writeFileSync(path, withRecording(readFileSync(path, 'utf8'), await recordRollout()))
process.stdout.write(`recorded into ${recordedFile}\n`)
