import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/**
 * Below the ports that systems give to outgoing connections, so that none of those takes one between our look and its use; and a range
 * of its own for each of the test processes that run side by side.
 */
const rangeSize = 4_000
const rangeStart = 10_000 + (Number(process.env['VITEST_POOL_ID'] ?? 0) % 5) * rangeSize
const triesMax = 100

/** Ports that were handed out before are not handed out again, since their users may not have bound them yet. */
const handedOut = new Set<number>()

/**
 * For each name a TCP port that was free on loopback a moment ago. All are held open until the last one is known, so no two are the
 * same; another process could still take one before its user binds it, which ends in a clear error of that program.
 */
export async function freePorts<const Names extends readonly string[]>(
  ...names: Names
): Promise<Record<Names[number], number>> {
  const held = await Promise.all(names.map(() => hold()))
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  return Object.fromEntries(names.map((name, i) => [name, held[i]?.port])) as Record<Names[number], number>
}

async function hold(): Promise<{ readonly server: Server; readonly port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const server = createServer()
    const port = rangeStart + randomInt(rangeSize)
    if (handedOut.has(port)) continue
    try {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      handedOut.add(port)
      return { server, port }
    } catch (error) {
      if (attempt === triesMax) throw error
    }
  }
}
