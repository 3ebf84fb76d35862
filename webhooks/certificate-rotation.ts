import type { Issued } from './certificates.ts'

/**
 * What is stored about the webhook's certificates: the current authority and leaf, and the authority before it, which stays in the
 * bundle until every leaf it signed has been replaced everywhere.
 */
export interface CertificateState {
  readonly authority: Issued
  readonly previousAuthority: Issued | undefined
  readonly leaf: Issued
}

export interface Lifetimes {
  readonly authorityMs: number
  readonly leafMs: number
}

const day = 24 * 60 * 60_000
/** The leaf is short-lived, for it is renewed without anybody noticing; the authority is what API servers have cached. */
export const defaultLifetimes: Lifetimes = { authorityMs: 365 * day, leafMs: 30 * day }

export type CertificateStep =
  | { readonly kind: 'keep' }
  /** Nothing usable is stored. */
  | { readonly kind: 'create' }
  | { readonly kind: 'renewAuthority' }
  /**
   * Only once the new authority has been in the bundle for long enough: a leaf that the API server cannot verify yet would fail
   * every review.
   */
  | { readonly kind: 'renewLeaf' }
  | { readonly kind: 'dropPreviousAuthority' }

/** How long API servers may take to notice a changed caBundle: they watch the configuration, so seconds; minutes are ample. */
export const bundleSettleMs = 10 * 60_000

/** What to do next about the certificates. Both are renewed at two thirds of their life. */
export function decideCertificateStep(state: CertificateState | undefined, now: number): CertificateStep {
  if (state === undefined || now >= state.authority.notAfter) return { kind: 'create' }
  const { authority, previousAuthority, leaf } = state
  if (now >= renewalTime(authority) && previousAuthority === undefined) return { kind: 'renewAuthority' }
  const settled = authority.issuedAt + bundleSettleMs
  const signedByPrevious = previousAuthority !== undefined && leaf.issuedAt < authority.issuedAt
  if (signedByPrevious && (now >= settled || now >= leaf.notAfter)) return { kind: 'renewLeaf' }
  if (!signedByPrevious && now >= renewalTime(leaf)) return { kind: 'renewLeaf' }
  if (previousAuthority !== undefined && !signedByPrevious && now >= leaf.issuedAt + bundleSettleMs) {
    return { kind: 'dropPreviousAuthority' }
  }
  return { kind: 'keep' }
}

export function bundleOf(state: CertificateState): string {
  return [state.authority, state.previousAuthority]
    .flatMap((pair) => pair?.certificate.trim() ?? [])
    .join('\n')
    .concat('\n')
}

function renewalTime(pair: Issued): number {
  return pair.issuedAt + ((pair.notAfter - pair.issuedAt) * 2) / 3
}
