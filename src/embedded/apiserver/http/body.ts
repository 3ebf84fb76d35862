import type { IncomingMessage } from 'node:http'
import { parse } from 'yaml'
import { kubernetesYAML } from '../../../api/kubernetes-yaml.ts'
import { KubeError } from '../../../kube/errors.ts'
import { badRequest } from '../errors.ts'
import { decodeProtobuf } from './protobuf.ts'

/** What a real API server takes at most. */
const bodyMaxBytes = 3 * 1024 * 1024

export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > bodyMaxBytes) {
      throw new KubeError('RequestEntityTooLarge', 413, `Request entity too large: limit is ${bodyMaxBytes}`)
    }
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

export function mediaType(header: string | undefined): string {
  return (header === undefined || header === '' ? 'application/json' : header).split(';')[0]?.trim().toLowerCase() ?? ''
}

/** The value a body stands for; undefined when there is none. */
export function parseBody(bytes: Buffer, type: string): unknown {
  if (bytes.length === 0) return undefined
  if (type === 'application/vnd.kubernetes.protobuf') return decodeProtobuf(bytes)
  const text = bytes.toString('utf8')
  try {
    // YAML is a superset of JSON, but parsing JSON as such is a hundred times faster.
    if (type.endsWith('yaml') && !/^\s*[[{]/.test(text)) return parse(text, kubernetesYAML)
    const value: unknown = JSON.parse(text)
    return value
  } catch (error) {
    throw badRequest(
      `the body of the request could not be decoded: ${error instanceof Error ? error.message : 'syntax error'}`,
    )
  }
}
