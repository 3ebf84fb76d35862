import { describe, expect, test } from 'vitest'
import { carryChanges } from '../../../../src/cli/convert/carry-changes.ts'
import { runCommand } from '../../../support/command-run.ts'

/** As nobody's printer would write it. */
const oddManifests = `# head

--- # the pool
apiVersion: karpenter.sh/v1beta1
kind:       NodePool
metadata: {name: default, labels: &l { team: "a"}}
spec:

  # after an empty line
  template:
    metadata:
      labels: *l
      annotations:
        note: >-
          folded by hand
          over lines

          and paragraphs
    spec:
      nodeClassRef:
        name: default   # ours


      requirements:
      - key: a
        operator: In
        values: ["x",
                 "y"]

      - {key: b,   operator: Exists}
  # end of the spec
# end of the pool
---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata:
    name: default
spec:
    amiFamily:   AL2        # aligned
    role:        "nodes"    # aligned, too
    subnetSelectorTerms:
        - tags: { karpenter.sh/discovery: x }
    securityGroupSelectorTerms:
    - tags:
        karpenter.sh/discovery: x
...
`

const newManifests = oddManifests
  .replace('karpenter.sh/v1beta1', 'karpenter.sh/v1')
  .replace('# ours\n', '# ours\n        group: karpenter.k8s.aws\n        kind: EC2NodeClass\n')
  .replace('karpenter.k8s.aws/v1beta1', 'karpenter.k8s.aws/v1')
  .replace(
    '        karpenter.sh/discovery: x\n...',
    '        karpenter.sh/discovery: x\n    amiSelectorTerms:\n        - alias: al2@latest\n    metadataOptions:\n        httpPutResponseHopLimit: 2\n...',
  )

test('lines that do not change in meaning do not change in Git', async () => {
  const { stdout, code } = await runCommand(['convert', '-f', '-'], { stdin: oddManifests })
  expect([code, stdout]).toEqual([0, newManifests])
})

test('a list that is too long to be compared line by line is printed anew, and quickly', async () => {
  const item = oddManifests
    .slice(oddManifests.indexOf('apiVersion: karpenter.k8s.aws'), oddManifests.indexOf('...'))
    .replaceAll('\n', '\n  ')
  const stdin = `apiVersion: v1\nkind: List\nitems:\n${`- ${item.trimEnd()}\n`.repeat(200)}`
  const { stdout } = await runCommand(['convert', '-f', '-'], { stdin })
  expect(stdout.match(/alias: al2@latest/g)).toHaveLength(200)
  expect(stdout.match(/# aligned, too/g)).toHaveLength(200)
}, 20_000)

test('a directive stays before its own document, and comes before no other', async () => {
  const stdin = `%YAML 1.1\n---\n${oddManifests.slice(oddManifests.indexOf('apiVersion'))}`
  const { stdout } = await runCommand(['convert', '-f', '-'], { stdin })
  expect(stdout).toBe(`%YAML 1.1\n---\n${newManifests.slice(newManifests.indexOf('apiVersion'))}`)
})

describe('changes between two printings, carried to what was written', () => {
  const cases: Record<string, [written: string, before: string, after: string, want: string]> = {
    'far from what is written oddly': [
      'a:  1\nb: 2\nc: 3',
      'a: 1\nb: 2\nc: 3',
      'a: 1\nb: 2\nc: 4',
      'a:  1\nb: 2\nc: 4',
    ],
    'right behind it': ['a:  1\nb: 2', 'a: 1\nb: 2', 'a: 1\nx: 0\nb: 2', 'a:  1\nx: 0\nb: 2'],
    'of the line itself': ['a:  1\nb: 2', 'a: 1\nb: 2', 'a: 5\nb: 2', 'a: 5\nb: 2'],
    'beside it': ['a:  1\nb:  2', 'a: 1\nb: 2', 'a: 5\nb: 2', 'a: 5\nb:  2'],
    'beside what the printer makes one line of': [
      'a: [1,\n  2]\nb: 2',
      'a: [1, 2]\nb: 2',
      'a: [1, 2]\nb: 3',
      'a: [1,\n  2]\nb: 3',
    ],
    'of what the printer makes one line of': ['a: [1,\n  2]\nb: 2', 'a: [1, 2]\nb: 2', 'a: [1]\nb: 2', 'a: [1]\nb: 2'],
    'above and below what the printer makes two lines of': [
      'k: v1\na: # why\n  b: 2\nc: 1',
      'k: v1\na:\n  # why\n  b: 2\nc: 1',
      'k: v2\na:\n  # why\n  b: 2\nx: 0\nc: 1',
      'k: v2\na: # why\n  b: 2\nx: 0\nc: 1',
    ],
    'where an empty line is left out by the printer': ['a: 1\n\nb: 2', 'a: 1\nb: 2', 'a: 1\nb: 3', 'a: 1\n\nb: 3'],
  }
  test.each(Object.entries(cases))('%s', (_name, [written, before, after, want]) => {
    expect(carryChanges(written, before, after)).toBe(want)
  })
})
