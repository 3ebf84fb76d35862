import { describe, expect, test } from 'vitest'
import { parse, parseDocument, stringify } from 'yaml'
import { kubernetesYAML } from '../../../src/api/kubernetes-yaml.ts'
import { plainTexts } from '../../support/plain-texts.ts'

test.each(Object.entries(plainTexts))('%s is read as kubectl reads it', (text, want) => {
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
    '1e400',
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
