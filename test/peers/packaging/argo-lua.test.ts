import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { customResourceDefinitions } from '../../../src/api/karpenter.ts'
import { argoHealth, argoSettings } from '../../support/gitops-health.ts'
import { runArgoLua } from '../support/argo-lua.ts'
import { describeWithPeers } from '../support/peers.ts'

const statuses = ['True', 'False', 'Unknown', undefined] as const
const generations = [3, 2, undefined] as const

/** Conditions in every state, beside each other: what no hand-written list of cases would think of. */
function objects(): object[] {
  const found: object[] = []
  for (const ready of statuses) {
    for (const second of ['Reconciling', 'Stalled', 'Launched', 'Registered', 'ReadyForProvisioning']) {
      for (const status of statuses) {
        for (const observedGeneration of generations) {
          const conditions = [
            ['Ready', ready],
            [second, status],
          ].flatMap(([type, is]) =>
            is === undefined
              ? []
              : [
                  {
                    type,
                    status: is,
                    reason: `${type}Reason`,
                    message: `${type} says so`,
                    ...(observedGeneration === undefined ? {} : { observedGeneration }),
                  },
                ],
          )
          found.push({ metadata: { name: 'a', generation: 3 }, spec: {}, status: { conditions } })
        }
      }
    }
  }
  for (const phase of ['Idle', 'AwaitingApproval', 'Halted', 'Soaking', 'Paused', 'Advancing', 'Completed'])
    found.push({
      metadata: { name: 'a', generation: 3 },
      spec: {},
      status: { phase, conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }] },
    })
  found.push({ metadata: { name: 'a' } }, { metadata: { name: 'a' }, spec: {}, status: {} })
  found.push({ metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: {} })
  return found
}

await describeWithPeers("Argo CD's own Lua", ['argo-lua'], () => {
  const kinds = customResourceDefinitions.map(({ spec }) => [spec.names.kind, spec.group] as const)

  test.each(kinds)('the health check of %s says the same as in the unit tests', async (kind, group) => {
    const script = argoSettings[`resource.customizations.health.${group}_${kind}`] ?? ''
    const all = objects()
    const theirs = await runArgoLua(all.map((obj) => ({ script, obj })))
    const ours = all.map((object) => argoHealth(kind, object))
    expect(theirs).toEqual(ours)
    expect(new Set(ours.map(({ status }) => status)).size).toBeGreaterThan(1)
  })

  test.each(Object.keys(argoSettings).filter((key) => key.startsWith('resource.customizations.actions.')))(
    '%s: what is discovered can be performed',
    async (key) => {
      const actions = parse(argoSettings[key] ?? '') as {
        readonly 'discovery.lua': string
        readonly definitions: readonly { readonly name: string; readonly 'action.lua': string }[]
      }
      const [object] = objects()
      const [discovered] = await runArgoLua([{ script: actions['discovery.lua'], obj: object }])
      const names = actions.definitions.map(({ name }) => name)
      expect(Object.keys(discovered as object).sort()).toEqual(names.toSorted())
      const performed = await runArgoLua(actions.definitions.map((one) => ({ script: one['action.lua'], obj: object })))
      for (const after of performed) expect(after).toMatchObject({ metadata: { name: 'a' } })
    },
  )
})
