import type { Look, Watcher } from './look.ts'

/** What people and Git declare, and nobody else. */
const intents: ReadonlySet<string> = new Set([
  'nodepools',
  'ec2nodeclasses',
  'nodeoverlays',
  'rolloutpolicies',
  'capacitybuffers',
])
const ownDomains = ['karpenter.sh', 'karpenter.k8s.aws', 'joinery.dev']

/** I29: of what people declare the operator writes the status, its own annotations and finalizers, and nothing else, so that Git has nothing to undo. */
export function intentWatcher(look: Look): Watcher {
  return {
    onCall({ resource, verb, subresource, body, name = '' }) {
      if (!intents.has(resource.plural) || subresource === 'status') return
      const subject = `${resource.plural}/${name}`
      if (verb === 'create' || verb === 'update' || verb === 'delete')
        look.report('I29', subject, `is not for the operator to ${verb}`)
      if (verb !== 'patch') return
      for (const field of fieldsOf(body)) {
        if (!isOurs(field)) look.report('I29', `${subject} ${field}`, 'is not for the operator to write')
      }
    },
  }
}

/** The fields that a patch speaks of: `spec`, `metadata.annotations[example.com/x]`. */
function fieldsOf(body: unknown): readonly string[] {
  if (Array.isArray(body)) {
    return body.flatMap((step: unknown) => {
      const [, ...path] = isRecord(step) ? String(step['path']).split('/') : []
      return step !== undefined && isRecord(step) && step['op'] === 'test' ? [] : [path.slice(0, 2).join('.')]
    })
  }
  if (!isRecord(body)) return []
  return Object.entries(body).flatMap(([field, value]) => {
    if (field === 'apiVersion' || field === 'kind') return []
    if (field !== 'metadata' || !isRecord(value)) return [field]
    return Object.entries(value).flatMap(([member, entries]) =>
      (member === 'annotations' || member === 'labels') && isRecord(entries)
        ? Object.keys(entries).map((key) => `metadata.${member}[${key}]`)
        : [`metadata.${member}`],
    )
  })
}

/** What identifies the object, or says which state of it is meant, changes nothing. */
const harmless = /^metadata\.(name|uid|resourceVersion|finalizers)$/

function isOurs(field: string): boolean {
  const [, key] = /^metadata\.annotations\[(.*)\]$/.exec(field) ?? []
  if (key === undefined) return harmless.test(field)
  const [domain = ''] = key.split('/', 1)
  return ownDomains.some((own) => domain === own || domain.endsWith(`.${own}`))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
