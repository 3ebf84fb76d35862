import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { durationMs } from '../../../src/api/duration.ts'

/*
 * What an Argo CD or Flux does with the shipped assets: definitions come before the operator and the operator before pools, what would take
 * nodes along is not pruned unasked, and what the webhook writes itself is no difference.
 */

interface Asset {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: {
    readonly source?: {
      readonly helm?: {
        readonly valuesObject?: {
          readonly controller?: { readonly image: { readonly repository: string } }
          readonly deletionGuard?: { enabled: boolean }
        }
      }
    }
    readonly ignoreDifferences?: readonly { readonly kind: string; readonly jqPathExpressions?: readonly string[] }[]
    readonly syncPolicy?: { readonly automated: { readonly prune: boolean }; readonly syncOptions: readonly string[] }
    readonly dependsOn?: readonly { readonly name: string }[]
    readonly prune?: boolean
    readonly deletionPolicy?: string
    readonly interval?: string
    readonly retryInterval?: string
    readonly timeout?: string
    readonly wait?: boolean
    readonly healthCheckExprs?: readonly { readonly kind: string }[]
  }
  readonly components?: readonly string[]
  readonly images?: readonly { readonly name: string; readonly newName: string }[]
}

const root = join(import.meta.dirname, '../../../manifests')

function assets(path: string): Asset[] {
  return parseAllDocuments(readFileSync(join(root, path), 'utf8')).map((document) => document.toJS() as Asset)
}

const caBundle = { jqPathExpressions: ['.webhooks[]?.clientConfig.caBundle'] }
const configurations = ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']

describe('Argo CD', () => {
  const applications = assets('argocd/applications.yaml')
  const [definitions, operator, pools] = ['joinery-crds', 'joinery', 'joinery-pools'].map((name) => {
    const found = applications.find(({ metadata }) => metadata.name === name)
    if (found === undefined) throw new Error(`there is no application ${name}`)
    return found
  })
  const waveOf = (asset: Asset | undefined): number =>
    Number(asset?.metadata.annotations?.['argocd.argoproj.io/sync-wave'])

  test('syncs definitions, then the operator, then classes and pools', () => {
    const waves = [definitions, operator, pools].map(waveOf)
    expect(waves).toEqual(waves.toSorted((a, b) => a - b))
    expect(new Set(waves).size).toBe(3)
  })

  // Between waves a sync waits for health, and a class is Progressing until its nodes are replaced; meanwhile no other commit is synced.
  test('has classes and pools in one wave, so that a commit which steers a rollout does not wait for its end', () => {
    const own = assets('argocd/pools/pools.yaml')
    expect(own.map(({ kind }) => kind).sort()).toEqual(['EC2NodeClass', 'NodePool'])
    for (const { metadata } of own) expect(metadata.annotations?.['argocd.argoproj.io/sync-wave']).toBeUndefined()
  })

  test('takes neither definitions nor pools away unasked', () => {
    expect(definitions?.spec.syncPolicy?.syncOptions).toEqual(expect.arrayContaining(['Prune=false', 'Delete=false']))
    expect(pools?.spec.syncPolicy?.syncOptions).toEqual(expect.arrayContaining(['Prune=confirm', 'Delete=confirm']))
    for (const { spec } of [definitions, pools].flatMap((one) => one ?? []))
      expect(spec.syncPolicy?.automated.prune).toBe(false)
    for (const { metadata } of assets('argocd/pools/pools.yaml')) {
      expect(metadata.annotations?.['argocd.argoproj.io/sync-options']).toBe('Prune=confirm,Delete=confirm')
    }
  })

  test('leaves the bundle alone that the webhook writes, by the application or for all of them', () => {
    expect(operator?.spec.ignoreDifferences).toEqual(
      configurations.map((kind) => ({ group: 'admissionregistration.k8s.io', kind, ...caBundle })),
    )
    expect(operator?.spec.syncPolicy?.syncOptions).toContain('RespectIgnoreDifferences=true')
    const settings = parseAllDocuments(readFileSync(join(root, 'argocd/argocd-cm.yaml'), 'utf8'))[0]?.toJS() as {
      readonly data: Readonly<Record<string, string>>
    }
    for (const kind of configurations) {
      const key = `resource.customizations.ignoreDifferences.admissionregistration.k8s.io_${kind}`
      expect(settings.data[key]).toContain(caBundle.jqPathExpressions[0])
    }
  })

  test('takes the image from a registry that somebody fills, since none is published', () => {
    expect(operator?.spec.source?.helm?.valuesObject?.controller?.image.repository).toMatch(/^registry\./)
  })

  test('has the deletion guard', () => {
    expect(operator?.spec.source?.helm?.valuesObject?.deletionGuard).toEqual({ enabled: true })
  })
})

describe('Flux', () => {
  const pools = assets('flux/clusters/demo/joinery.yaml').find(({ metadata }) => metadata.name === 'joinery-pools')

  test('syncs pools after the operator, and waits by the health of each kind', () => {
    expect(pools?.spec.dependsOn).toEqual([{ name: 'joinery' }])
    expect(pools?.spec.healthCheckExprs?.map(({ kind }) => kind)).toEqual(['NodePool', 'EC2NodeClass', 'RolloutPolicy'])
  })

  // While it checks health it applies no other commit.
  test('checks the health of pools for some minutes at a time, so that a commit which steers a rollout does not wait for its end', () => {
    const { wait, timeout = '', retryInterval = '', interval = '' } = pools?.spec ?? {}
    expect(wait).toBe(true)
    expect(durationMs(timeout)).toBeLessThanOrEqual(2 * 60_000)
    expect(durationMs(retryInterval)).toBeLessThan(durationMs(interval))
  })

  test('takes neither definitions nor pools away', () => {
    expect([pools?.spec.prune, pools?.spec.deletionPolicy]).toEqual([false, 'Orphan'])
    for (const { metadata } of assets('flux/infrastructure/pools/pools.yaml')) {
      expect(metadata.annotations?.['kustomize.toolkit.fluxcd.io/prune']).toBe('disabled')
    }
    const text = readFileSync(join(root, 'flux/infrastructure/joinery/kustomization.yaml'), 'utf8')
    expect(text).toMatch(/kind: CustomResourceDefinition[^]*kustomize\.toolkit\.fluxcd\.io\/prune: disabled/)
  })

  test('takes the image from a registry that somebody fills, since none is published', () => {
    const [kustomization] = assets('flux/infrastructure/joinery/kustomization.yaml')
    expect(kustomization?.images).toEqual([{ name: 'joinery', newName: expect.stringMatching(/^registry\./) }])
  })

  test('has the deletion guard', () => {
    const [kustomization] = assets('flux/infrastructure/joinery/kustomization.yaml')
    expect(kustomization?.components).toContain('../../../components/deletion-guard')
  })
})
