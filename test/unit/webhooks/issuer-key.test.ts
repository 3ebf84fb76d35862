// @peculiar/x509 needs the metadata polyfill to be there before it.
import 'reflect-metadata'
import { AuthorityKeyIdentifierExtension, SubjectKeyIdentifierExtension, X509Certificate } from '@peculiar/x509'
import { expect, test } from 'vitest'
import { createCertificates } from '../../../src/embedded/apiserver/http/certificates.ts'
import { servingCertificate } from '../../support/serving-certificate.ts'

/* RFC 5280 asks for it, and verifiers that hold to it take nothing else: OpenSSL's with X509_STRICT, which is Python's default since 3.13. */

const keyOf = (authority: string) => new X509Certificate(authority).getExtension(SubjectKeyIdentifierExtension)?.keyId
const issuerKeyOf = (certificate: string) =>
  new X509Certificate(certificate).getExtension(AuthorityKeyIdentifierExtension)?.keyId

test("the webhook's certificate names its authority's key", async () => {
  const { authority, leaf } = await servingCertificate()
  expect(keyOf(authority.certificate)).toMatch(/^[0-9a-f]{40}$/)
  expect(issuerKeyOf(leaf.certificate)).toBe(keyOf(authority.certificate))
})

test("the embedded API server's certificates do, and its users'", async () => {
  const { authority, server, issueClient } = await createCertificates(Date.now())
  const user = await issueClient('alice', [])
  expect(keyOf(authority)).toMatch(/^[0-9a-f]{40}$/)
  expect([issuerKeyOf(server.certificate), issuerKeyOf(user.certificate)]).toEqual([keyOf(authority), keyOf(authority)])
})
