import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials } from './moto-account.ts'

/** Hands out credentials as the agent of EKS Pod Identity does: a new session for each request that brings the pod's token. */
export interface CredentialsAgent {
  /** With which the SDK's default chain finds it. */
  readonly env: Readonly<Record<string, string>>
  /** Access keys in the order in which they were handed out, with the time at which each expires. */
  readonly sessions: readonly { readonly accessKey: string; readonly expiresAt: number }[]
  stop(): Promise<void>
}

const token = 'the-pod'

/**
 * Those handed out in the first half of the time expire at its end, the later ones after an hour. The SDK asks for another one, beside
 * a call that it still signs with the old one, as soon as that has less than five minutes left; so the first ones are short enough to be
 * asked for again with each call.
 */
export async function startCredentialsAgent(firstSessionsMs: number): Promise<CredentialsAgent> {
  const startedAt = Date.now()
  const sessions: { readonly accessKey: string; readonly expiresAt: number }[] = []
  const server = createServer(({ headers }, response) => {
    if (headers.authorization !== token) {
      response.writeHead(401).end()
      return
    }
    const isFirst = Date.now() - startedAt < firstSessionsMs / 2
    const expiresAt = isFirst ? startedAt + firstSessionsMs : Date.now() + 3_600_000
    const accessKey = `ASIA${isFirst ? 'FIRST' : 'LATER'}${sessions.length}`
    sessions.push({ accessKey, expiresAt })
    const answer = {
      AccessKeyId: accessKey,
      SecretAccessKey: credentials.secretAccessKey,
      Token: `session of ${accessKey}`,
      Expiration: new Date(expiresAt).toISOString(),
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const folder = await mkdtemp(join(tmpdir(), 'joinery-agent-'))
  const tokenFile = join(folder, 'token')
  await writeFile(tokenFile, token)
  return {
    env: {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/v1/credentials`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: tokenFile,
    },
    sessions,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
