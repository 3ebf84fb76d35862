import { expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { plainAPIServer } from '../../../support/plain-api-server.ts'

test('credentials that are refused are told with the cluster, as other commands tell them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { kubeconfig, address } = await plainAPIServer([], () => 401)
  const top = await withoutWaits(runCommand(['top', '--once', '--kubeconfig', kubeconfig]))
  const explain = await withoutWaits(runCommand(['explain', 'node', 'n1', '--kubeconfig', kubeconfig]))
  for (const { code, stderr } of [top, explain]) {
    expect(code).toBe(1)
    expect(stderr).toContain(`error: the API server ${address} of context staging does not take these credentials: `)
  }
})

/** Lets the time between retries pass at once. */
async function withoutWaits<T>(command: Promise<T>): Promise<T> {
  let done = false
  const ended = command.finally(() => {
    done = true
  })
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(100)
  }
  return ended
}

test('what may not be read ends the command without a wait, all of it at once', async () => {
  const { kubeconfig } = await plainAPIServer([], (path) => (/(nodes|pods)$/.test(path) ? 403 : 200))
  const began = performance.now()
  const { code, stderr } = await runCommand(['top', '--once', '--kubeconfig', kubeconfig])
  expect(code).toBe(1)
  expect(stderr).toContain('error: cannot read pods: pods is refused\n')
  expect(stderr).toContain('error: cannot read nodes: nodes is refused\n')
  expect(performance.now() - began).toBeLessThan(15_000)
})
