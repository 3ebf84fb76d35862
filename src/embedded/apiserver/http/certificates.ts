// @peculiar/x509 needs the metadata polyfill to be there before it.
import 'reflect-metadata'
import { generateKeys, type KeyPair, privateKeyText, serialNumber, signingAlgorithm } from '../../../kube/x509.ts'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

export interface ServerCertificates {
  readonly authority: string
  readonly server: KeyPair
  /** Issues a client certificate: the user is its CN, the groups its Os. */
  readonly issueClient: (user: string, groups: readonly string[]) => Promise<KeyPair>
}

const hour = 3_600_000
/** A cluster in a process does not live longer than this. */
const lifetimeMs = 365 * 24 * hour

/** A certificate authority of its own with a server certificate for the loopback addresses. `now` is real time: TLS peers check it. */
export async function createCertificates(now: number): Promise<ServerCertificates> {
  const keys = await generateKeys()
  const validity = {
    notBefore: new Date(now - hour),
    notAfter: new Date(now + lifetimeMs),
    signingAlgorithm,
  }
  const issuer = 'CN=joinery-embedded-ca'
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: serialNumber(),
    name: issuer,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const authorityKey = await AuthorityKeyIdentifierExtension.create(keys.publicKey)
  const issue = async (subject: string, extensions: Extension[]): Promise<KeyPair> => {
    const own = await generateKeys()
    const certificate = await X509CertificateGenerator.create({
      ...validity,
      serialNumber: serialNumber(),
      subject,
      issuer,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      // Strict verifiers, such as Python's since 3.13, take no certificate without its issuer's key identifier.
      extensions: [new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true), authorityKey, ...extensions],
    })
    return { certificate: certificate.toString('pem'), key: await privateKeyText(own.privateKey) }
  }
  const server = await issue('CN=kube-apiserver', [
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
    new SubjectAlternativeNameExtension([
      { type: 'ip', value: '127.0.0.1' },
      { type: 'ip', value: '::1' },
      { type: 'dns', value: 'localhost' },
      { type: 'dns', value: 'kubernetes.default.svc' },
    ]),
  ])
  const issueClient = (user: string, groups: readonly string[]): Promise<KeyPair> =>
    issue([...groups.map((group) => `O=${group}`), `CN=${user}`].join(', '), [
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    ])
  return { authority: authority.toString('pem'), server, issueClient }
}
