import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { runOrThrow } from '../support/run.ts'

/** What source-controller writes into the status of a GitRepository for a commit that it has fetched. */
interface Artifact {
  readonly path: string
  readonly url: string
  readonly revision: string
  readonly digest: string
  readonly size: number
  readonly lastUpdateTime: string
}

/** Stands in for source-controller: serves folders as archives, as it does for commits. */
export interface SourceServer {
  /** @param files by path in the repository */
  archive(commit: string, files: Readonly<Record<string, string>>): Promise<Artifact>
  close(): Promise<void>
}

export async function startSourceServer(): Promise<SourceServer> {
  const archives = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? '')
    response.writeHead(archive === undefined ? 404 : 200, { 'content-type': 'application/gzip' })
    response.end(archive)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    async archive(commit, files) {
      const content = await packed(files)
      const path = `/${commit}.tar.gz`
      archives.set(path, content)
      return {
        path: `gitrepository${path}`,
        url: `http://127.0.0.1:${port}${path}`,
        revision: `main@sha1:${commit}`,
        digest: `sha256:${createHash('sha256').update(content).digest('hex')}`,
        size: content.length,
        lastUpdateTime: `${new Date().toISOString().slice(0, 19)}Z`,
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function packed(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-commit-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'tree', path)), { recursive: true })
      await writeFile(join(folder, 'tree', path), text)
    }
    const archive = join(folder, 'tree.tar.gz')
    await runOrThrow('tar', ['-czf', archive, '-C', join(folder, 'tree'), '.'])
    return await readFile(archive)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
