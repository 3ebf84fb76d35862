// @peculiar/x509 needs the metadata polyfill to be there before it.
import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { cryptoProvider, PemConverter } from '@peculiar/x509'

/** A certificate and its key, both PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly key: string
}

export const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  cryptoProvider.set(webcrypto)
  return webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
}

export async function privateKeyText(key: webcrypto.CryptoKey): Promise<string> {
  return `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), PemConverter.PrivateKeyTag)}\n`
}

export async function importPrivateKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', PemConverter.decodeFirst(pem), signingAlgorithm, false, ['sign'])
}

/** 16 random bytes, the first below 0x80 so that the number is positive. */
export function serialNumber(): string {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(16)))
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  return bytes.toString('hex')
}
