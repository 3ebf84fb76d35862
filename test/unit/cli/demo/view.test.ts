import { expect, test } from 'vitest'
import { tellLogLine } from '../../../../src/cli/demo/view.ts'

const startMs = Date.parse('2026-01-01T00:00:00Z')

const cases: Readonly<Record<string, { entry: Record<string, unknown>; want: string | undefined }>> = {
  'a failed reconcile is told with its controller and its cause': {
    entry: { level: 'ERROR', message: 'Reconciler error', controller: 'nodeclass', error: 'no subnets' },
    want: 'error nodeclass: no subnets',
  },
  'an error that is nothing but its message is told by it': {
    entry: { level: 'ERROR', message: 'leader election lost', lease: 'karpenter-leader-election' },
    want: 'error: leader election lost',
  },
  'message and cause are both told': {
    entry: { level: 'ERROR', message: 'could not schedule pod', controller: 'provisioner', error: 'no room' },
    want: 'error provisioner: could not schedule pod: no room',
  },
  'what is of no interest is left out': { entry: { level: 'INFO', message: 'stopping' }, want: undefined },
}

test.each(Object.entries(cases))('%s', (_name, { entry, want }) => {
  const told = tellLogLine(JSON.stringify({ time: '2026-01-01T00:00:43Z', ...entry }), startMs)
  expect(told?.text.trim().replace(/^43s +/, '')).toBe(want)
  expect(told?.failure).toBe(want)
})
