import { jsonEqual } from '../../../api/json.ts'
import type { Admission, AdmissionAttempt } from '../api/context.ts'
import type { IncomingObject } from '../object.ts'
import { textAt } from '../json.ts'
import type { Registry } from '../registry/registry.ts'
import { enforcePolicies } from './policies.ts'
import { matchingWebhooks, mutateBy, validateBy, type Webhook, type WebhookAdmissionOptions } from './webhooks.ts'

/** Admission by what is stored: webhook configurations and policies. Answers at once when no webhook matches. */
export function storedAdmission(registry: Registry, options: WebhookAdmissionOptions): Admission {
  return {
    mutate(attempt) {
      if (attempt.object === undefined || isExempt(attempt)) return attempt.object
      const webhooks = matchingWebhooks(options, 'mutating', attempt)
      return webhooks.length === 0 ? attempt.object : mutateAll(options, webhooks, attempt)
    },
    validate(attempt) {
      if (isExempt(attempt)) return undefined
      enforcePolicies(options.store, registry, attempt)
      const webhooks = matchingWebhooks(options, 'validating', attempt)
      if (webhooks.length === 0) return undefined
      return validateAll(options, webhooks, attempt)
    },
  }
}

/** Policies and webhook configurations cannot lock themselves. */
function isExempt({ definition }: AdmissionAttempt): boolean {
  return definition.group === 'admissionregistration.k8s.io'
}

async function mutateAll(
  options: WebhookAdmissionOptions,
  webhooks: readonly Webhook[],
  attempt: AdmissionAttempt,
): Promise<IncomingObject | undefined> {
  let object = attempt.object
  const seen = new Map<Webhook, IncomingObject | undefined>()
  for (const webhook of webhooks) {
    object = await mutateBy(options, webhook, { ...attempt, object })
    seen.set(webhook, object)
  }
  // Whoever asked for it sees, once more, what the others changed after it.
  for (const webhook of webhooks) {
    const changed = !jsonEqual(seen.get(webhook), object)
    if (changed && textAt(webhook.config, 'reinvocationPolicy') === 'IfNeeded') {
      object = await mutateBy(options, webhook, { ...attempt, object })
    }
  }
  return object
}

async function validateAll(
  options: WebhookAdmissionOptions,
  webhooks: readonly Webhook[],
  attempt: AdmissionAttempt,
): Promise<void> {
  const results = await Promise.allSettled(webhooks.map((webhook) => validateBy(options, webhook, attempt)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
