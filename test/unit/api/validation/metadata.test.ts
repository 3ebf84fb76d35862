import { describe, expect, test } from 'vitest'
import { judge } from '../../../../src/admission/index.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { metadataErrors } from '../../../../src/api/validation/index.ts'
import { aPool } from '../../../support/controller-builders.ts'

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

/** Messages as kube-apiserver 1.36 prints them. */
const cases: Record<string, { readonly metadata: object; readonly want: readonly string[] }> = {
  'a plain name': { metadata: { name: 'default' }, want: [] },
  'dots and digits': { metadata: { name: '2.gpu-pool.example.com' }, want: [] },
  'no name at all': { metadata: {}, want: ['metadata.name: Required value: name or generateName is required'] },
  'a prefix instead of a name': { metadata: { generateName: 'pool-' }, want: [] },
  'capital letters and underscores': {
    metadata: { name: 'Not_A_Name' },
    want: [`metadata.name: Invalid value: "Not_A_Name": ${subdomain}`],
  },
  'a name of 254 characters': {
    metadata: { name: 'a'.repeat(254) },
    want: [`metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`],
  },
  'a prefix that no name can begin with': {
    metadata: { generateName: '-pool-' },
    want: [`metadata.generateName: Invalid value: "-pool-": ${subdomain}`],
  },
  'a label with an empty value': { metadata: { name: 'a', labels: { 'example.com/team': '' } }, want: [] },
  'a label value with a space': {
    metadata: { name: 'a', labels: { team: 'a b' } },
    want: [`metadata.labels: Invalid value: "a b": ${labelValue}`],
  },
  'a label that is not text': {
    metadata: { name: 'a', labels: { team: true } },
    want: [
      'metadata.labels.team: Invalid value: "boolean": metadata.labels.team in body must be of type string: "boolean"',
    ],
  },
  'an annotation key in capitals is fine, one with two slashes is not': {
    metadata: { name: 'a', annotations: { 'Example.com/Note': 'x', 'a/b/c': 'x' } },
    want: [
      "metadata.annotations: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ],
  },
  'annotations of more than 256 KiB': {
    metadata: { name: 'a', annotations: { note: 'x'.repeat(256 * 1024) } },
    want: ['metadata.annotations: Too long: may not be more than 262144 bytes'],
  },
  'finalizers with a domain, and those of Kubernetes': {
    metadata: { name: 'a', finalizers: ['example.com/hold', 'foregroundDeletion'] },
    want: [],
  },
  'a finalizer without a domain': { metadata: { name: 'a', finalizers: ['hold'] }, want: [] },
  'an empty finalizer': {
    metadata: { name: 'a', finalizers: ['example.com/hold', ''] },
    want: [
      'metadata.finalizers: Invalid value: "": name part must be non-empty',
      expect.stringMatching(/^metadata\.finalizers: Invalid value: "": name part must consist of /),
    ],
  },
}

test.each(Object.entries(cases))('%s', (_name, { metadata, want }) => {
  expect(metadataErrors({ metadata }, 'CREATE').map(({ message }) => message)).toEqual(want)
})

describe('an update', () => {
  const named = (name: string, labels: Record<string, string> = {}) =>
    ({ ...aPool(), metadata: { name, labels } }) as unknown as KubeObject
  const judged = (object: KubeObject, oldObject: KubeObject) =>
    judge({ object, oldObject, operation: 'UPDATE', rules: 'crd', now: 0 }).errors.map(({ path }) => path)

  test('is refused for a label that it brings, even when the spec stays as it is', () => {
    expect(judged(named('a', { team: 'a b' }), named('a'))).toEqual(['metadata.labels'])
  })
  test('passes with what was wrong before', () => {
    expect(judged(named('a', { team: 'a b', more: 'x' }), named('a', { team: 'a b' }))).toEqual([])
  })
})
