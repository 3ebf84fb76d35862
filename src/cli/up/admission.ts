import { createWebhookServer } from '../../../webhooks/server.ts'
import { issueAuthority, issueLeaf } from '../../../webhooks/certificates.ts'
import { cachedFacts } from '../../../webhooks/facts.ts'
import { mutateReview, validateReview } from '../../../webhooks/judge-review.ts'
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from '../../../webhooks/kinds.ts'
import { classProblems } from '../../cloud/aws/class-problems.ts'
import type { Stack } from '../embedded/stack.ts'
import { admissionCatalogue } from '../input/admission-catalogue.ts'
import { silentLogger } from '../../kube/logger.ts'

export interface AdmissionDoor {
  stop(): Promise<void>
}

const dayMs = 24 * 60 * 60_000
const lifetimeMs = 365 * dayMs

/**
 * Puts the admission webhook, as it is shipped, before the embedded API server. Its certificates live in real time, as TLS does, and as
 * long as this process; a configuration that an earlier run left behind is replaced. `now` is the real time.
 */
export async function serveAdmission(
  { cluster, operator }: Pick<Stack, 'cluster' | 'operator'>,
  region: string,
  now: number,
): Promise<AdmissionDoor> {
  const authority = await issueAuthority(now, lifetimeMs)
  const leaf = await issueLeaf(authority, ['localhost'], now, lifetimeMs)
  const server = createWebhookServer({
    tls: leaf,
    validate: validateReview({
      clock: cluster.clock,
      // The operator watches these kinds anyway.
      facts: cachedFacts(operator.caches, classProblems, admissionCatalogue({ region }).typesFor),
    }),
    mutate: mutateReview,
    unreadyBecause: () => undefined,
    metricsText: async () => '',
    log: silentLogger,
  })
  const port = await server.listen({ host: '127.0.0.1', port: 0 })
  const client = cluster.clientFor('joinery-webhook')
  const caBundle = Buffer.from(authority.certificate).toString('base64')
  const webhook = (path: string, name: string) => ({
    name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 3,
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    clientConfig: { url: `https://localhost:${port}${path}`, caBundle },
    rules: [
      rule('karpenter.sh', ['nodepools', 'nodeoverlays']),
      rule('karpenter.k8s.aws', ['ec2nodeclasses']),
      rule('joinery.dev', ['rolloutpolicies']),
    ],
  })
  const name = 'joinery'
  await client.patch(
    validatingWebhookConfigurations,
    { name },
    {
      kind: 'apply',
      force: true,
      body: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name },
        webhooks: [webhook('/validate', 'validation.webhook.joinery.dev')],
      },
    },
  )
  await client.patch(
    mutatingWebhookConfigurations,
    { name },
    {
      kind: 'apply',
      force: true,
      body: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name },
        webhooks: [webhook('/mutate', 'defaulting.webhook.joinery.dev')],
      },
    },
  )
  return { stop: () => server.close() }
}

function rule(group: string, resources: readonly string[]) {
  return { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources, scope: 'Cluster' }
}
