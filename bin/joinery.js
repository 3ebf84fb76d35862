#!/usr/bin/env node
// Starts the command line on a Node that can run it. Plain JavaScript without syntax newer than old Nodes know, so that they can say what is missing.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const wanted = [22, 19]
const here = fileURLToPath(new URL('.', import.meta.url))
const parts = process.versions.node.split('.').map(Number)
const isNewEnough = parts[0] > wanted[0] || (parts[0] === wanted[0] && parts[1] >= wanted[1])

/** The Node that the checkout brings as an optional package, for machines whose own is too old. */
function bundledNode() {
  const require = createRequire(import.meta.url)
  try {
    const path = require.resolve(`node-${process.platform}-${process.arch}/bin/node`)
    return existsSync(path) ? path : undefined
  } catch {
    return undefined
  }
}

if (isNewEnough) {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache?.()
  const built = new URL('../dist/src/cli/main.js', import.meta.url)
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const { main } = await import(existsSync(source) ? source.href : built.href)
  process.exitCode = await main(process.argv.slice(2))
} else {
  const node = process.env.JOINERY_NODE_STARTED === '1' ? undefined : bundledNode()
  if (node === undefined) {
    console.error(
      `joinery needs Node ${wanted.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).`,
    )
    process.exitCode = 1
  } else {
    const child = spawn(node, [`${here}joinery.js`, ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, JOINERY_NODE_STARTED: '1' },
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    process.exitCode = await new Promise((resolve) => {
      child.on('error', () => resolve(1))
      child.on('exit', (code, signal) => resolve(code === null ? 128 + constants.signals[signal] : code))
    })
  }
}
