import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { messageOf } from '../src/api/error-text.ts'
import { followMounted, type MountedOptions } from './mounted-files.ts'

export interface ClientAuthoritiesOptions extends MountedOptions {
  readonly file: string
  /** What `readClientAuthorities` has read already. */
  readonly used: string
}

/**
 * Who may sign the certificates of API servers, in PEM. Where nothing in the file is a certificate, TLS would trust nobody, or, of an empty
 * file, whom the machine trusts.
 * @throws Error when the file or a certificate in it cannot be read, or there is none
 */
export async function readClientAuthorities(file: string): Promise<string> {
  const text = await readFile(file, 'utf8')
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('holds no certificate in PEM')
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block)
    } catch (error) {
      throw new Error(`certificate ${index + 1} cannot be read: ${messageOf(error)}`, { cause: error })
    }
  }
  return text
}

/** Hands the authorities on whenever they have changed: API servers with certificates of a new one would be refused, and all writes with them. */
export async function watchClientAuthorities(
  { file, used, ...options }: ClientAuthoritiesOptions,
  onAuthorities: (clientCA: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const read = async (): Promise<string> => readClientAuthorities(file)
  const complaint = 'the client authorities cannot be read; those from before stay in force'
  await followMounted({ ...options, read, used, complaint, place: { file } }, onAuthorities, signal)
}
