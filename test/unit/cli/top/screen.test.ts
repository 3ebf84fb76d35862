import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { columnsOf, screenOf } from '../../../../src/cli/top/screen.ts'
import type { Terminal } from '../../../../src/cli/command-line.ts'

function aTerminal(columns: number, rows: number, env: Terminal['env'] = {}): Terminal {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns, rows })
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined })
  const signal = new AbortController().signal
  return { stdin, stdout, stderr: new PassThrough(), env, cwd: '/', isInteractive: true, signal }
}

test('a terminal is as large as it says', () => {
  expect(screenOf(aTerminal(132, 43))).toMatchObject({ columns: 132, rows: 43 })
  expect(columnsOf(aTerminal(132, 43))).toBe(132)
})

test('a terminal that nobody gave a size cuts nothing of what is printed once, and shows the live view in the usual one', () => {
  expect(screenOf(aTerminal(0, 0))).toMatchObject({ columns: 80, rows: 24 })
  expect(columnsOf(aTerminal(0, 0))).toBeUndefined()
})

test('a dumb terminal, which shows escape sequences as they are, has no live view', () => {
  expect(screenOf(aTerminal(80, 24, { TERM: 'dumb' }))).toBeUndefined()
})
