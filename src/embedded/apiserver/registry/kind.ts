import type { FieldError } from '../errors.ts'
import { withAt } from '../json.ts'
import type { IncomingObject } from '../object.ts'
import type { FieldGetter } from '../field-selectors.ts'
import { fieldAt } from '../field-selectors.ts'
import { builtinType } from '../types/builtin.ts'
import type { TableColumn, Conversion, KindDefinition, ScalePaths, Strategy, Subresource } from './definition.ts'
import { subdomainProblem } from './names.ts'

/** How a built-in kind is declared; what is left out has the usual value. */
export interface BuiltinKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly model: string
  readonly namespaced: boolean
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources?: readonly Subresource[]
  readonly scale?: ScalePaths
  readonly tracksGeneration?: boolean
  /** Dotted paths of text fields that field selectors may name. */
  readonly selectable?: readonly string[]
  readonly fields?: Readonly<Record<string, FieldGetter>>
  readonly columns?: readonly TableColumn[]
  readonly strategy?: Partial<Strategy>
  readonly conversion?: Conversion
}

const noErrors: readonly FieldError[] = []

export const defaultStrategy: Strategy = {
  applyDefaults: (object) => object,
  validate: () => noErrors,
  validateStatus: () => noErrors,
  prepareCreate: (object) => object,
  prepareUpdate: (object) => object,
  gracePeriodSeconds: () => 0,
  validateName: subdomainProblem,
  keepsStatusOnCreate: false,
  unconditionalUpdate: true,
}

/** `.spec.replicas` and `.status.replicas`, as all workloads have them. */
export const replicaPaths: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
}

export function defineKind(kind: BuiltinKind): KindDefinition {
  const selectable = Object.fromEntries((kind.selectable ?? []).map((path) => [path, fieldAt(path)]))
  const subresources = new Set(kind.subresources ?? [])
  if (kind.scale !== undefined) subresources.add('scale')
  return {
    group: kind.group,
    version: kind.version,
    kind: kind.kind,
    plural: kind.plural,
    singular: kind.kind.toLowerCase(),
    listKind: `${kind.kind}List`,
    namespaced: kind.namespaced,
    shortNames: kind.shortNames ?? [],
    categories: kind.categories ?? [],
    table: `${(kind.conversion?.stored ?? kind).group}/${kind.plural}`,
    storageVersion: kind.version,
    conversion: kind.conversion,
    type: builtinType(kind.model),
    subresources,
    scale: kind.scale,
    tracksGeneration: kind.tracksGeneration ?? false,
    fields: { ...selectable, ...kind.fields },
    columns: kind.columns ?? [nameColumn, ageColumn],
    strategy: { ...defaultStrategy, ...kind.strategy },
    custom: undefined,
  }
}

export const nameColumn: TableColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  value: (object) => object.metadata.name,
}

/** In place of the age, where kubectl prints the time itself. */
export const createdColumn: TableColumn = {
  name: 'Created At',
  type: 'string',
  priority: 0,
  value: (object) => object.metadata.creationTimestamp ?? '<unknown>',
}

export const ageColumn: TableColumn = {
  name: 'Age',
  type: 'date',
  priority: 0,
  value: (object, now) => ageText(object.metadata.creationTimestamp, now),
}

/** As kubectl prints ages: two units while they are small, one when they are not. */
export function ageText(timestamp: string | undefined, now: number): string {
  if (timestamp === undefined) return '<unknown>'
  const then = Date.parse(timestamp)
  return Number.isNaN(then) ? '<invalid>' : durationText(now - then)
}

/** As kubectl prints how long something took, or takes. */
export function durationText(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return joinUnits(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return joinUnits(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return joinUnits(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 2920 ? joinUnits(years, 'y', days % 365, 'd') : `${years}y`
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

/** The status that a new object starts with, whatever the client sent. */
export function withStatus(object: IncomingObject, status: unknown): IncomingObject {
  return withAt(object, ['status'], status)
}
