import { describe, test } from 'vitest'
import { whyNoArgoDiff } from './argo-diff.ts'
import { whyNoArgoLua } from './argo-lua.ts'
import { whyNoControlPlane, whyNoKubectl } from './programs.ts'
import { whyNoFlux } from './flux-process.ts'
import { whyNoHelm } from './helm.ts'
import { whyNoImageBuilder } from './image.ts'
import { whyNoKarpenter } from './karpenter-process.ts'
import { whyNoKstatus } from './kstatus.ts'
import { whyNoMoto } from './moto-python.ts'
import { whyNoPromtool } from './promtool.ts'

/** The real programs that suites are run against. `kube-apiserver` includes etcd. */
export type Peer =
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'moto'
  | 'karpenter'
  | 'helm'
  | 'argo-lua'
  | 'argo-diff'
  | 'kstatus'
  | 'flux'
  | 'image-builder'
  | 'promtool'

const whyMissing: Readonly<Record<Peer, () => Promise<string | undefined>>> = {
  'kube-apiserver': () => whyNoControlPlane('etcd', 'kube-apiserver'),
  'kube-controller-manager': () => whyNoControlPlane('kube-controller-manager'),
  'kube-scheduler': () => whyNoControlPlane('kube-scheduler'),
  kubectl: whyNoKubectl,
  moto: whyNoMoto,
  karpenter: whyNoKarpenter,
  helm: whyNoHelm,
  'argo-lua': whyNoArgoLua,
  'argo-diff': whyNoArgoDiff,
  kstatus: whyNoKstatus,
  flux: whyNoFlux,
  'image-builder': whyNoImageBuilder,
  promtool: whyNoPromtool,
}

/** What not even CI can have everywhere: it takes root, and for images a kernel that lets containers run. */
const undemanded: ReadonlySet<Peer> = new Set(['image-builder', 'promtool'])

/**
 * A suite that needs real programs. Where one is missing the suite does not run and says why; with JOINERY_REQUIRE_PEERS=1, as in CI,
 * it fails instead, but for what CI cannot demand. Await it at the top level of a test file.
 */
export async function describeWithPeers(name: string, peers: readonly Peer[], suite: () => void): Promise<void> {
  const reasons: string[] = []
  let isDemanded = process.env['JOINERY_REQUIRE_PEERS'] === '1'
  for (const peer of peers) {
    const why = await whyMissing[peer]()
    if (why === undefined) continue
    reasons.push(why)
    if (undemanded.has(peer)) isDemanded = false
  }
  if (reasons.length === 0) {
    describe(name, suite)
    return
  }
  const why = [...new Set(reasons)].join('; ')
  if (isDemanded) {
    test(name, () => {
      throw new Error(`not run, though JOINERY_REQUIRE_PEERS=1 demands it: ${why}`)
    })
    return
  }
  process.stderr.write(`not run: ${name}: ${why}\n`)
  test(`${name} (not run: ${why})`, (context) => context.skip(why))
}
