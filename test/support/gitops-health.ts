import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { customResourceDefinitions } from '../../src/api/karpenter.ts'
import { evaluate } from '../../src/embedded/apiserver/admission/expressions.ts'
import { runLua } from './run-lua.ts'

const manifests = join(import.meta.dirname, '../../manifests')
export const argoSettings = (
  parse(readFileSync(join(manifests, 'argocd/argocd-cm.yaml'), 'utf8')) as { data: Record<string, string> }
).data

interface Generations {
  readonly metadata?: { readonly generation?: number }
  readonly status?: { readonly observedGeneration?: number }
}

interface Expressions {
  readonly apiVersion: string
  readonly kind: string
  readonly inProgress: string
  readonly failed: string
  readonly current: string
}
const expressions = parseAllDocuments(readFileSync(join(manifests, 'flux/clusters/demo/joinery.yaml'), 'utf8')).flatMap(
  (document) => (document.toJS() as { spec: { healthCheckExprs?: Expressions[] } }).spec.healthCheckExprs ?? [],
)

const groups: Readonly<Record<string, string>> = {
  ...Object.fromEntries(customResourceDefinitions.map(({ spec }) => [spec.names.kind, spec.group])),
  Application: 'argoproj.io',
}

/** What Argo CD says of an object, by the Lua in our manifests. */
export function argoHealth(kind: string, object: object): { status: string; message: string } {
  return runLua(argoHealthScript(kind), object) as { status: string; message: string }
}

/** The Lua by which Argo CD judges objects of a kind. */
export function argoHealthScript(kind: string): string {
  const script = argoSettings[`resource.customizations.health.${groups[kind]}_${kind}`]
  if (script === undefined) throw new Error(`no health check for ${kind}`)
  return script
}

/** What Flux says: generations before anything else, as kstatus has it, then our expressions in the order in which it asks them. */
export function fluxHealth(kind: string, object: object): string {
  const { metadata, status } = object as Generations
  if (status?.observedGeneration !== undefined && status.observedGeneration !== metadata?.generation)
    return 'Progressing'
  const found = expressions.find((one) => one.kind === kind)
  if (found === undefined) throw new Error(`no expressions for ${kind}`)
  const variables = { status: {}, ...object } as Record<string, unknown>
  const holds = (expression: string): boolean => {
    const result = evaluate(expression, variables)
    if (result.kind !== 'value') throw new Error(`cannot evaluate ${expression}: ${JSON.stringify(result)}`)
    return result.value === true
  }
  if (holds(found.inProgress)) return 'Progressing'
  if (holds(found.failed)) return 'Degraded'
  return holds(found.current) ? 'Healthy' : 'Progressing'
}
