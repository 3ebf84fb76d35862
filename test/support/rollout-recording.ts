import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Stack } from '../../src/cli/embedded/stack.ts'
import { serve } from '../../src/embedded/apiserver/index.ts'
import { createRolloutWorld, hour, minute, newVersion, type RolloutWorld } from '../scenarios/rollout/world.ts'
import { runCommand } from './command-run.ts'

/** The part of docs/operating-rollouts.md that the program writes itself. */
export const recordedFile = 'docs/operating-rollouts.md'

const begin = '<!-- Recorded by npm run docs:recording; changes by hand are lost. -->\n'
const end = '<!-- End of the recording. -->\n'
const badVersion = 'v20260501'

/** The document with another recording in the place of the one it has. @throws when it has no place for one */
export function withRecording(text: string, recording: string): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${recordedFile} has no place for a recording`)
  return `${text.slice(0, from + begin.length)}\n${recording}\n${text.slice(to)}`
}

/** Without the seconds of `joinery top`, which reads the server's time and then counts on by its own. */
export function withoutSeconds(text: string): string {
  return text.replaceAll(/^joinery top .*$/gm, (line) => line.replace(/:\d\dZ$/, '')).replaceAll(/ +(\d+m)\d+s/g, ' $1')
}

/** A moment of the recording that is worth a picture. */
export type Moment = 'soaking' | 'rolledBack'

/**
 * A good image and a bad one under a policy that asks for approval, on a cluster whose time passes only between the commands: the same
 * text each time.
 */
export async function recordRollout(
  photograph: (moment: Moment, stack: Stack) => Promise<void> = async () => undefined,
): Promise<string> {
  const world = await createRolloutWorld({
    pools: [{ name: 'web', nodes: 6 }],
    policy: {
      mode: 'Approve',
      steps: [
        { nodes: 1, soak: '5m' },
        { nodes: '50%', soak: '5m' },
      ],
      gates: { nodeReadyTimeout: '5m' },
      onFailure: 'Rollback',
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'joinery-recording-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const running = await serve({ server: world.stack.cluster.apiServer, kubeconfigPath: kubeconfig })
  try {
    const session = new Session(world, kubeconfig, async () => {
      const { phase, step } = world.status()
      if (phase === 'Soaking' && step === 1) await photograph('soaking', world.stack)
      if (phase === 'Halted') await photograph('rolledBack', world.stack)
    })
    const blocks = [await goodImage(world, session), await badImage(world, session)]
    return blocks.join('\n')
  } finally {
    await running.close()
    await world.stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/** What was typed and printed since the last block. */
class Session {
  readonly #world: RolloutWorld
  readonly #kubeconfig: string
  readonly #onLook: () => Promise<void>
  #lines: string[] = []

  constructor(world: RolloutWorld, kubeconfig: string, onLook: () => Promise<void>) {
    this.#world = world
    this.#kubeconfig = kubeconfig
    this.#onLook = onLook
  }

  note(text: string): void {
    this.#lines.push(...(this.#lines.length === 0 ? [] : ['']), `# ${text}`)
  }

  async command(line: string): Promise<void> {
    const { code, stdout, stderr } = await runCommand([...line.split(' '), '--kubeconfig', this.#kubeconfig])
    this.#lines.push(
      `$ joinery ${line}`,
      ...`${stdout}${stderr}`
        .trimEnd()
        .split('\n')
        .map((text) => text.trimEnd()),
    )
    if (code !== 0) this.#lines.push(`(exit code ${code})`)
  }

  /** Looks again each time the phase of the rollout changes, until it is one of these. */
  async follow(line: string, phases: readonly string[]): Promise<void> {
    for (let looks = 0; looks < looksMax; looks += 1) {
      const { phase, step } = this.#world.status()
      const isOther = (): boolean => this.#world.status().phase !== phase || this.#world.status().step !== step
      if (!(await this.#world.until(isOther, 2 * hour)))
        throw new Error(`nothing changes any more after\n${this.#lines.join('\n')}`)
      // Status of the pool follows the policy's by a moment.
      await this.#world.run(10_000)
      await this.command(line)
      await this.#onLook()
      if (phases.includes(this.#world.status().phase ?? '')) return
    }
  }

  block(): string {
    const text = `\`\`\`console\n${this.#lines.join('\n')}\n\`\`\`\n`
    this.#lines = []
    return text
  }
}

/** More than any rollout has steps. */
const looksMax = 20

async function goodImage(world: RolloutWorld, session: Session): Promise<string> {
  await world.run(2 * minute)
  await session.command('rollout status')
  session.note('A commit moves the alias of the class to the next version.')
  await world.editAlias(newVersion)
  await world.run(2 * minute)
  await session.command('rollout status web')
  session.note(
    'Approve what the status names: by this command, by kubectl, by Argo CD, or by a commit that adds the annotation.',
  )
  await session.command('rollout approve web --dry-run')
  await session.command('rollout approve web')
  await world.until(() => world.status().phase === 'Soaking', hour)
  await world.run(10_000)
  await session.command('rollout status web')
  await session.command('top --once')
  session.note('Something else needs attention: nothing moves before then, unless it is resumed.')
  await session.command('rollout pause web --until 2026-01-01T02:00:00Z')
  await world.run(10_000)
  await session.command('rollout status web')
  await session.command('rollout resume web')
  await world.run(10_000)
  session.note('Each time something has changed:')
  await session.follow('rollout status', ['Completed'])
  await session.command('rollout history ec2nodeclass/default')
  return session.block()
}

async function badImage(world: RolloutWorld, session: Session): Promise<string> {
  const { aws, behaviours } = world.stack.cluster
  for (const { id } of aws.publishImage('al2023', { version: badVersion })) {
    behaviours.setImage(id, { becomesReady: false })
  }
  session.note('The next image boots, but its nodes never become ready. One node, the canary, is all it reaches.')
  await world.editAlias(badVersion)
  await world.run(2 * minute)
  await session.command('rollout approve web')
  await session.follow('rollout status', ['Halted'])
  await session.command('rollout status web')
  await session.command('rollout history ec2nodeclass/default')
  await session.command('rollout history web')
  return session.block()
}
