// AWS in memory, for an operator on a cluster that has nothing to do with AWS: moto with an account in which it finds what it needs.
import { Command } from 'commander'
import { wholeNumber } from '../src/cli/whole-number.ts'
import { clusterName, nodeRole, startMotoAccount } from '../test/peers/support/moto-account.ts'
import { whyNoMoto } from '../test/peers/support/moto-python.ts'

const oldestMinor = 29
const newestMinor = 36

const { port } = new Command('moto')
  .description(
    `moto on loopback with the account of a cluster "${clusterName}": network, node role ${nodeRole}, AL2023 images; until Ctrl-C`,
  )
  .option('--port <number>', 'where it listens', wholeNumber(1), 5000)
  .showHelpAfterError('(--help lists the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ port: number }>()

const why = await whyNoMoto()
if (why !== undefined) {
  console.error(`moto cannot be run here: ${why}`)
  process.exit(1)
}
const versions = Array.from({ length: newestMinor - oldestMinor + 1 }, (_, index) => `1.${oldestMinor + index}`)
const account = await startMotoAccount(`1.${newestMinor}`, { port, versions })
console.log(
  Object.entries(account.env)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n'),
)
await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})
await account.stop()
