import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../../src/cli/command-line.ts'
import { parseSubject } from '../../../../src/cli/explain/subject.ts'
import { runCommand } from '../../../support/command-run.ts'
import { pool } from './world.ts'

describe('what is to be explained', () => {
  const said: [first: string, second: string | undefined, kind: string, name: string][] = [
    ['pod', 'web', 'pod', 'web'],
    ['pod', 'shop/web', 'pod', 'shop/web'],
    ['pod/web', undefined, 'pod', 'web'],
    ['pod/shop/web', undefined, 'pod', 'shop/web'],
    ['Pods', 'web', 'pod', 'web'],
    ['po/web', undefined, 'pod', 'web'],
    ['no', 'ip-10-0-0-1', 'node', 'ip-10-0-0-1'],
    ['nodeclaim.karpenter.sh/general-x7k2p', undefined, 'nodeclaim', 'general-x7k2p'],
    ['nodepools.karpenter.sh', 'general', 'nodepool', 'general'],
  ]
  test.each(said)('%s %s', (first, second, kind, name) => {
    expect(parseSubject(first, second)).toEqual({ kind, name })
  })

  const refused: [first: string, second: string | undefined, message: string][] = [
    ['deployment', 'web', "'deployment' is not explained: name a pod, a node, a nodeclaim or a nodepool"],
    ['deployment/web', undefined, "'deployment' is not explained: name a pod, a node, a nodeclaim or a nodepool"],
    ['constructor', 'web', "'constructor' is not explained: name a pod, a node, a nodeclaim or a nodepool"],
    ['pod', undefined, 'name the pod to explain'],
    ['pod/', undefined, 'name the pod to explain'],
    ['pod/web', 'api', 'pod/web names one object, and api would be another: one is explained at a time'],
  ]
  test.each(refused)('is refused: %s %s', (first, second, message) => {
    expect(() => parseSubject(first, second)).toThrow(new UsageError(message))
  })

  test('kind/name is taken by the command', async () => {
    const { code, stdout } = await runCommand(['explain', 'nodepool/general', '-f', '-'], { stdin: pool() })
    expect([code, stdout.split('\n')[0]]).toEqual([0, 'NodePool general'])
  })
})
