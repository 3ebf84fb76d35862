import { type Issued, issueAuthority, issueLeaf } from '../../webhooks/certificates.ts'

export interface ServingCertificate {
  readonly authority: Issued
  /** The server's, by that authority. */
  readonly leaf: Issued
}

const day = 86_400_000

/** A certificate for a server of this machine, good from now on for a day. */
export async function servingCertificate(hosts: readonly string[] = ['localhost']): Promise<ServingCertificate> {
  const authority = await issueAuthority(Date.now(), day)
  return { authority, leaf: await issueLeaf(authority, hosts, Date.now(), day) }
}
