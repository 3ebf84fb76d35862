import type { EC2NodeClass, NodePool } from '../../../src/api/karpenter.ts'
import { argoHealthScript, fluxHealth } from '../../support/gitops-health.ts'
import { runArgoLua } from './argo-lua.ts'
import { repeat } from './repeat.ts'

/** What Argo CD and Flux say of an object while something goes on, each verdict as often as it changed. */
interface HealthVerdicts {
  readonly argo: readonly string[]
  readonly flux: readonly string[]
}

/** What a round saw. `isDone` is found out after the objects were read, so objects that are healthy too early stand out. */
export interface HealthSample {
  readonly pool: NodePool
  readonly nodeClass: EC2NodeClass
  readonly isDone: boolean
}

interface HealthReport {
  readonly pool: HealthVerdicts
  readonly nodeClass: HealthVerdicts
  /** How often one of the two called an object healthy that had nodes to replace. */
  readonly tooEarly: number
}

export interface HealthWatch {
  stop(): Promise<HealthReport>
}

const pauseMs = 500

/** Reads both objects again and again. Argo CD's own Lua judges them at the end, all at once: it is a program that has to be started. */
export function watchHealth(look: () => Promise<HealthSample>): HealthWatch {
  const samples: HealthSample[] = []
  const looking = repeat(pauseMs, async () => {
    samples.push(await look())
  })
  return {
    stop: async () => {
      await looking.stop()
      samples.push(await look())
      const isDone = samples.map((sample) => sample.isDone)
      const pool = await verdictsOn(
        'NodePool',
        samples.map((sample) => sample.pool),
      )
      const nodeClass = await verdictsOn(
        'EC2NodeClass',
        samples.map((sample) => sample.nodeClass),
      )
      const all = [pool.argo, pool.flux, nodeClass.argo, nodeClass.flux]
      const tooEarly = all.flatMap((verdicts) => verdicts.filter((each, at) => each === 'Healthy' && !isDone[at]))
      return {
        pool: { argo: changes(pool.argo), flux: changes(pool.flux) },
        nodeClass: { argo: changes(nodeClass.argo), flux: changes(nodeClass.flux) },
        tooEarly: tooEarly.length,
      }
    },
  }
}

async function verdictsOn(kind: string, objects: readonly object[]): Promise<HealthVerdicts> {
  const script = argoHealthScript(kind)
  const answers = await runArgoLua(objects.map((obj) => ({ script, obj })))
  return {
    argo: answers.map((answer) => (answer as { readonly status: string }).status),
    flux: objects.map((object) => fluxHealth(kind, object)),
  }
}

function changes(verdicts: readonly string[]): readonly string[] {
  return verdicts.filter((each, index) => each !== verdicts[index - 1])
}
