import { describe, expect, test } from 'vitest'
import { parse, parseDocument, stringify } from 'yaml'
import { kubernetesYAML } from '../../../src/api/kubernetes-yaml.ts'

/** What `kubectl annotate --local -o json` printed of each text. */
const read: Record<string, unknown> = {
  yes: true,
  y: true,
  on: true,
  TRUE: true,
  No: false,
  n: false,
  OFF: false,
  yES: 'yES',
  '010': 8,
  '-010': -8,
  '08': 8,
  '00': 0,
  '-0': 0,
  '+1': 1,
  '0o10': 8,
  '0O7': 7,
  '0o8': '0o8',
  '0x1F': 31,
  '-0x1F': -31,
  '0x_1': 1,
  '0b11': 3,
  '-0b11': -3,
  '0b': '0b',
  '1_000': 1000,
  '1__0': 10,
  '1_': 1,
  _1: '_1',
  '0_7': 7,
  '1.': 1,
  '.5': 0.5,
  '+.5': 0.5,
  '-.5e1': -5,
  '1e3': 1000,
  '1E5': 100_000,
  '12e03': 12_000,
  '1_0.5': 10.5,
  '685.230_15': 685.230_15,
  '0.1.2': '0.1.2',
  '99999999999999999999': 1e20,
  '5%': '5%',
  '1:30': '1:30',
  '2001-12-14': '2001-12-14',
  '2001-12-14t21:59:43.10-05:00': '2001-12-14t21:59:43.10-05:00',
  '~': null,
  NULL: null,
  Null: null,
  '""': '',
}

test.each(Object.entries(read))('%s is read as kubectl reads it', (text, want) => {
  expect(parse(`[${text}]`, kubernetesYAML)).toEqual([want])
})

test('keys are texts of what they were read as', () => {
  expect(parse('{yes: a, n: b, 010: c, 1.5: d}', kubernetesYAML)).toEqual({ true: 'a', false: 'b', 8: 'c', 1.5: 'd' })
})

describe('what is printed is read as the same', () => {
  const texts = [
    'yes',
    'y',
    'No',
    'off',
    'true',
    '010',
    '08',
    '0x1F',
    '1_0',
    '1.',
    '1e3',
    '.inf',
    '~',
    '1:30',
    '',
    'on call',
  ]
  const values = [true, false, 0, -1, 0.1, 1e21, null]
  test.each([...texts, ...values])('%j', (value) => {
    expect(parse(stringify({ value }, kubernetesYAML), kubernetesYAML)).toEqual({ value })
  })
})

test('a document that is edited keeps what nobody touched as it was written', () => {
  const text = 'a: yes # by us\nb: 010\nc: 1_0.5\nd: 0x1F\ne: No\n'
  const document = parseDocument(text, kubernetesYAML)
  document.set('z', 'on')
  expect(String(document)).toBe(`${text}z: "on"\n`)
})
