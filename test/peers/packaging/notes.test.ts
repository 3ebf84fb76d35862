import { join } from 'node:path'
import { expect, test } from 'vitest'
import { charts, required } from '../support/chart.ts'
import { helmProgram } from '../support/helm.ts'
import { describeWithPeers } from '../support/peers.ts'
import { run } from '../support/run.ts'

/** What helm prints after an installation with these values. */
async function notes(set: string): Promise<string> {
  const command = ['install', 'joinery', join(charts, 'joinery'), '--dry-run=client', '--namespace', 'kube-system']
  const { code, stdout, stderr } = await run(await helmProgram(), [...command, ...required, '--set', set])
  expect([code, stderr]).toEqual([0, ''])
  return stdout.slice(stdout.indexOf('\nNOTES:'))
}

await describeWithPeers('the notes of an installation', ['helm'], () => {
  const cases: Record<string, readonly [string, RegExp]> = {
    'that a profile of the container is weaker than its own': [
      'controller.securityContext.seccompProfile.type=Unconfined',
      /controller\.securityContext\.seccompProfile is Unconfined/,
    ],
    'that alerts stay silent without the metrics of cluster state': [
      'prometheusRule.enabled=true,settings.disableClusterStateObservability=true',
      /settings\.disableClusterStateObservability is true: .* never fire/s,
    ],
  }
  test.each(Object.entries(cases))('say %s, and only then', async (_name, [set, want]) => {
    expect(await notes(set)).toMatch(want)
    for (const other of ['replicas=2', 'prometheusRule.enabled=true', 'settings.disableClusterStateObservability=true'])
      expect(await notes(other)).not.toMatch(want)
  })
})
