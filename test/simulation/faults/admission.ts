import { isNotFound } from '../../../src/kube/errors.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import type { KeyPair } from '../../../src/kube/x509.ts'
import { issueAuthority, issueLeaf } from '../../../webhooks/certificates.ts'
import { mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../../webhooks/kinds.ts'
import { createWebhookServer, type WebhookServer } from '../../../webhooks/server.ts'
import { shippedConfigurations } from '../../scenarios/admission/webhook-world.ts'
import { every, type Fault, type FaultContext, nothing } from './fault.ts'
import { Attacker } from './attacker.ts'
import { applyManifests } from './people.ts'
import { minute } from '../world.ts'

/** Certificates are judged by the real clock: the sockets are real. */
const day = 86_400_000
const names = ['joinery'] as const
/** Real requests over real sockets: a round costs as much processor time as a quiet hour of the cluster. */
const attackEveryMs = 10 * minute
const offsetMs = 7_000
const configurations = [validatingWebhookConfigurations, mutatingWebhookConfigurations] as const

/** The admission server as shipped, asked about every NodePool and EC2NodeClass until it is closed. */
interface Admission {
  readonly server: WebhookServer
  readonly port: number
  trust(...authorities: readonly KeyPair[]): Promise<void>
  close(): void
}

async function startAdmission({ world }: FaultContext, tls: KeyPair): Promise<Admission> {
  const { client, clock } = world.stack.cluster
  const server = createWebhookServer({
    tls,
    validate: validateReview({ clock }),
    mutate: mutateReview,
    unreadyBecause: () => undefined,
    metricsText: async () => '',
    log: silentLogger,
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const trust = async (...authorities: readonly KeyPair[]): Promise<void> => {
    const caBundle = Buffer.from(authorities.map(({ certificate }) => certificate).join('\n')).toString('base64')
    for (const shipped of shippedConfigurations(port)) {
      const webhooks = shipped.webhooks.map((each) => ({ ...each, clientConfig: { ...each.clientConfig, caBundle } }))
      const resource = configurations.find(({ kind }) => kind === shipped.kind)
      if (resource === undefined) throw new Error(`${shipped.kind} is shipped`)
      const body = { ...shipped, webhooks }
      await client.patch(resource, { name: shipped.metadata.name }, { kind: 'apply', body, force: true })
    }
  }
  return {
    server,
    port,
    trust,
    close() {
      for (const resource of configurations) {
        for (const name of names) {
          client.delete(resource, { name }).catch((error: unknown) => {
            if (!isNotFound(error)) throw error
          })
        }
      }
      void server.close()
    },
  }
}

/**
 * I28: whatever becomes of the webhook, what people apply goes through. Never at the moment of an attack or a rotation: which of two
 * conversations over real sockets is answered first, or refused as too much, the seed does not decide.
 */
function keepApplying(context: FaultContext): () => void {
  let end = nothing
  const begin = context.world.stack.cluster.clock.schedule(offsetMs, () => {
    end = every(context, 20_000, () =>
      applyManifests(context).catch((error: unknown) => {
        context.invariants.report('I28', 'apply', `is blocked by the admission webhook: ${String(error)}`)
      }),
    )
  })
  return () => {
    begin.cancel()
    end()
  }
}

async function issue(leafMs: number): Promise<{ readonly authority: KeyPair; readonly leaf: KeyPair }> {
  // An expired certificate has lived before.
  const now = Date.now() - (leafMs < 0 ? 10 * day : 0)
  const authority = await issueAuthority(now, 365 * day)
  return { authority, leaf: await issueLeaf(authority, ['localhost'], now, Math.abs(leafMs)) }
}

/** Every twenty seconds another authority and certificate; the bundle has the one before and the next. */
async function rotating(context: FaultContext): Promise<() => void> {
  let current = await issue(day)
  const admission = await startAdmission(context, current.leaf)
  await admission.trust(current.authority)
  const { clock } = context.world.stack.cluster
  const failedBefore = context.world.admission.failed
  const end = every(context, 20_000, async () => {
    const next = await clock.hold(issue(day))
    await admission.trust(current.authority, next.authority)
    admission.server.replaceCertificate(next.leaf)
    current = next
  })
  const endApplying = keepApplying(context)
  return () => {
    end()
    endApplying()
    const lost = context.world.admission.failed - failedBefore
    if (lost > 0) context.invariants.report('I28', 'rotation', `${lost} reviews were lost while certificates rotated`)
    admission.close()
  }
}

async function untrusted(context: FaultContext, how: 'wrong key' | 'expired'): Promise<() => void> {
  const { authority, leaf } = await issue(how === 'expired' ? -day : day)
  const admission = await startAdmission(context, leaf)
  await admission.trust(how === 'expired' ? authority : (await issue(day)).authority)
  const end = keepApplying(context)
  return () => {
    end()
    admission.close()
  }
}

/** What has just been begun is done first: how far it gets while keys are made and sockets opened the seed does not decide. */
async function atRest({ world }: FaultContext): Promise<void> {
  await world.stack.cluster.clock.settle()
}

/** What goes wrong with the admission server. */
export const admissionFaults: readonly Fault[] = [
  {
    id: 'F35',
    name: 'a bundle of the wrong key, an expired certificate, rotation under load',
    inject: async (context) => {
      await atRest(context)
      const kind = context.random.below(3)
      return kind === 0 ? rotating(context) : untrusted(context, kind === 1 ? 'wrong key' : 'expired')
    },
  },
  {
    id: 'F36',
    name: 'floods, slow senders, huge and deep bodies, replays at the webhook',
    inject: async (context) => {
      await atRest(context)
      const { authority, leaf } = await issue(day)
      const admission = await startAdmission(context, leaf)
      await admission.trust(authority)
      const attacker = new Attacker(admission.port)
      const { clock } = context.world.stack.cluster
      const endAttacks = every(context, attackEveryMs, async () => {
        for (const harm of await clock.hold(attacker.attack())) context.invariants.report('I38', 'webhook', harm)
        const before = context.world.admission.answers
        await applyManifests(context)
        if (context.world.admission.answers === before)
          context.invariants.report('I28', 'webhook', 'answers nobody after an attack')
      })
      const endApplying = keepApplying(context)
      return () => {
        endAttacks()
        endApplying()
        attacker.stop()
        admission.close()
      }
    },
  },
]
