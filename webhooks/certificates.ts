// @peculiar/x509 needs the metadata polyfill to be there before it.
import 'reflect-metadata'
import {
  generateKeys,
  importPrivateKey,
  type KeyPair,
  privateKeyText,
  serialNumber,
  signingAlgorithm,
} from '../src/kube/x509.ts'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

export interface Issued extends KeyPair {
  /** Milliseconds since the epoch. The certificate itself is valid from a little earlier. */
  readonly issuedAt: number
  readonly notAfter: number
}

/** Clocks of API servers run a little behind ours at times. */
const backdateMs = 5 * 60_000

export async function issueAuthority(now: number, lifetimeMs: number): Promise<Issued> {
  const keys = await generateKeys()
  const notAfter = now + lifetimeMs
  const serial = serialNumber()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial,
    // A name of its own: while two authorities are in one bundle, a verifier must not take one for the other.
    name: `CN=joinery-webhook-ca-${serial.slice(0, 8)}`,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(notAfter),
    signingAlgorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return {
    certificate: certificate.toString('pem'),
    key: await privateKeyText(keys.privateKey),
    issuedAt: now,
    notAfter,
  }
}

/** A serving certificate for `hosts` (DNS names), never outliving its authority. */
export async function issueLeaf(
  authority: KeyPair,
  hosts: readonly string[],
  now: number,
  lifetimeMs: number,
): Promise<Issued> {
  const issuer = new X509Certificate(authority.certificate)
  const keys = await generateKeys()
  const notAfter = Math.min(now + lifetimeMs, issuer.notAfter.getTime())
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${hosts[0] ?? 'joinery-webhook'}`,
    issuer: issuer.subject,
    notBefore: new Date(now - backdateMs),
    notAfter: new Date(notAfter),
    signingAlgorithm,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      await AuthorityKeyIdentifierExtension.create(issuer),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
    ],
  })
  return {
    certificate: certificate.toString('pem'),
    key: await privateKeyText(keys.privateKey),
    issuedAt: now,
    notAfter,
  }
}
