import { expect, test } from 'vitest'
import { parsePath } from '../../../../src/cli/input/path.ts'

const object = {
  metadata: { labels: { 'example.com/a': 'x' } },
  spec: { limits: { cpu: '1', 'nvidia.com/gpu': '1' }, taints: [{ key: 'a' }], a: { b: 1 }, 'a.b': 2 },
}

const cases: Record<string, readonly (string | number)[]> = {
  '': [],
  '<nil>': [],
  'spec.taints[0].key': ['spec', 'taints', 0, 'key'],
  'metadata.labels[example.com/a]': ['metadata', 'labels', 'example.com/a'],
  'metadata.labels.example.com/a': ['metadata', 'labels', 'example.com/a'],
  'spec.limits.nvidia.com/gpu': ['spec', 'limits', 'nvidia.com/gpu'],
  'spec.limits.cpu': ['spec', 'limits', 'cpu'],
  'spec.a.b': ['spec', 'a', 'b'],
  // Not there: the nearest parent is what can be pointed at.
  'spec.template.metadata.name': ['spec', 'template', 'metadata', 'name'],
  'spec.limits.amd.com/gpu': ['spec', 'limits', 'amd', 'com/gpu'],
}

test.each(Object.entries(cases))('%s', (text, want) => {
  expect(parsePath(text, object)).toEqual(want)
})
