import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * `count` different TCP ports that were free on loopback a moment ago. All are held open until the last one is known, so no two are
 * the same; another process could still take one before its user binds it, which ends in a clear error of that program.
 */
export async function freePorts<const Names extends readonly string[]>(
  ...names: Names
): Promise<Record<Names[number], number>> {
  const servers = await Promise.all(
    names.map(async () => {
      const server = createServer()
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has no port')
    return address.port
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return Object.fromEntries(names.map((name, i) => [name, ports[i]])) as Record<Names[number], number>
}
