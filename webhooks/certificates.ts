import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export interface Issued extends KeyPair {
  /** Milliseconds since the epoch. The certificate itself is valid from a little earlier. */
  readonly issuedAt: number
  readonly notAfter: number
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
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
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
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
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await importPrivateKey(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
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

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  cryptoProvider.set(webcrypto)
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

async function privateKeyText(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`
}

async function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}

/** 16 random bytes, the first below 0x80 so that the number is positive. */
function serialNumber(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  return bytes.toString('hex')
}
