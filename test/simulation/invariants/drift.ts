import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { EC2NodeClass, NodeClaim } from '../../../src/api/karpenter.ts'
import { labelNodePool } from '../../../src/api/labels.ts'
import { minute } from '../world.ts'
import type { Look, Watcher } from './look.ts'

/** What a claim was planned from may be a little older than the claim. */
const plannedMs = 2 * minute

/** I8: nothing drifts but by an edit. I9: what drifts says which field, from what to what. */
export function driftWatcher(look: Look): Watcher {
  /** Each form that a pool's template or a class's spec has had, as text, with the time until which it held. */
  const forms = new Map<string, { text: string; until: number }[]>()
  const bornAt = new Map<string, number>()

  function note(key: string, text: string): void {
    const known = forms.get(key) ?? []
    const last = known.at(-1)
    if (last?.text === text) return
    if (last !== undefined) last.until = look.elapsed
    forms.set(key, [...known, { text, until: Number.POSITIVE_INFINITY }])
  }

  function readForms(): void {
    for (const pool of look.pools) note(`NodePool ${pool.metadata.name}`, JSON.stringify(pool.spec.template))
    for (const { metadata, spec } of look.list<EC2NodeClass>('karpenter.k8s.aws/ec2nodeclasses')) {
      note(`EC2NodeClass ${metadata.name}`, JSON.stringify(spec))
    }
  }

  /** Whether all forms that the claim can have been made from are the present one. */
  function isUnchanged(claim: NodeClaim, key: string): boolean {
    const known = forms.get(key) ?? []
    const present = known.at(-1)?.text
    const born = bornAt.get(claim.metadata.uid)
    if (born === undefined || present === undefined) return false
    return known.filter(({ until }) => until >= born - plannedMs).every(({ text }) => text === present)
  }

  function drifts(claim: NodeClaim): void {
    const { reason = '', message = '' } = conditionOf(claim, 'Drifted') ?? {}
    const { name } = claim.metadata
    const of = { NodePoolDrifted: poolKey(claim), NodeClassDrifted: classKey(claim) }[reason]
    if (of !== undefined && isUnchanged(claim, of)) look.report('I8', name, `${reason} although nobody changed ${of}`)
    const says = /^.+: (?:no record of .+|.+: .* -> .*)/s.test(message)
    if ((of !== undefined || reason === 'AMIDrift') && !says) {
      look.report('I9', name, `${reason} does not say what changed, but ${JSON.stringify(message)}`)
    }
  }

  return {
    onClaim(type, claim, previous) {
      const { uid } = claim.metadata
      if (type === 'DELETED') {
        bornAt.delete(uid)
        return
      }
      if (type === 'ADDED') {
        readForms()
        bornAt.set(uid, look.elapsed)
      }
      const was = previous !== undefined && isConditionTrue(previous, 'Drifted')
      if (isConditionTrue(claim, 'Drifted') && !was) {
        readForms()
        drifts(claim)
      }
    },
    onPool() {
      readForms()
    },
    tick() {
      readForms()
    },
  }
}

function poolKey(claim: NodeClaim): string {
  return `NodePool ${claim.metadata.labels?.[labelNodePool] ?? ''}`
}

function classKey(claim: NodeClaim): string {
  return `EC2NodeClass ${claim.spec.nodeClassRef.name}`
}
