import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type X509Certificate,
} from '@peculiar/x509'

export interface KeyAndCertificate {
  readonly key: string
  readonly certificate: string
}

/** A certificate authority that lives as long as one test run. Everything is PEM. */
export interface Authority {
  readonly certificate: string
  /** For a TLS server that is reached under these names and addresses. */
  server(commonName: string, names: readonly string[], addresses: readonly string[]): Promise<KeyAndCertificate>
  /** For a client: Kubernetes reads the user from the common name and the groups from the organizations. */
  client(user: string, groups: readonly string[]): Promise<KeyAndCertificate>
}

const signing = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const dayMs = 86_400_000
/** Certificates are valid from an hour ago, so that a clock that was just set does not matter. */
const backdateMs = 3_600_000

export async function createAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    serialNumber: '01',
    ...validity(),
    signingAlgorithm: signing,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  })
  let issued = 1
  const issue = (subject: Subject, usage: ExtendedKeyUsage, names: SubjectAlternativeNameExtension[]) => {
    issued += 1
    return issueLeaf({ root, rootKey: keys.privateKey, serial: issued, subject, usage, names })
  }
  return {
    certificate: root.toString('pem'),
    server: (commonName, names, addresses) =>
      issue([{ CN: [commonName] }], ExtendedKeyUsage.serverAuth, [
        new SubjectAlternativeNameExtension([
          ...names.map((value) => ({ type: 'dns' as const, value })),
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
      ]),
    client: (user, groups) =>
      issue([...groups.map((group) => ({ O: [group] })), { CN: [user] }], ExtendedKeyUsage.clientAuth, []),
  }
}

type Subject = ({ CN: string[] } | { O: string[] })[]

async function issueLeaf(leaf: {
  root: X509Certificate
  rootKey: webcrypto.CryptoKey
  serial: number
  subject: Subject
  usage: ExtendedKeyUsage
  names: SubjectAlternativeNameExtension[]
}): Promise<KeyAndCertificate> {
  const keys = await webcrypto.subtle.generateKey(signing, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    serialNumber: leaf.serial.toString(16).padStart(4, '0'),
    subject: leaf.subject,
    issuer: leaf.root.subject,
    publicKey: keys.publicKey,
    signingKey: leaf.rootKey,
    signingAlgorithm: signing,
    ...validity(),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([leaf.usage]),
      ...leaf.names,
    ],
  })
  return { key: await privateKeyPEM(keys.privateKey), certificate: certificate.toString('pem') }
}

function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - backdateMs), notAfter: new Date(now + dayMs) }
}

async function privateKeyPEM(key: webcrypto.CryptoKey): Promise<string> {
  const base64 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END PRIVATE KEY-----\n`
}
