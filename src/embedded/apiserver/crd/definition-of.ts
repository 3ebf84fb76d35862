import type {
  CustomResourceDefinition,
  CustomResourceVersion,
  PrinterColumn,
} from '../../../api/custom-resource-definition.ts'
import { isObject } from '../json.ts'
import type { StoredObject } from '../object.ts'
import { commonFields } from '../field-selectors.ts'
import type { TableColumn, KindDefinition, ScalePaths, Subresource } from '../registry/definition.ts'
import { ageColumn, ageText, defaultStrategy, nameColumn } from '../registry/kind.ts'
import { evaluateJsonPath, fieldSteps, parseJsonPath } from './json-path.ts'
import { typeOfResource } from './schema-type.ts'

/** The kinds that a stored CRD serves, one per served version. */
export function definitionsOf(crd: CustomResourceDefinition): readonly KindDefinition[] {
  const storage = crd.spec.versions.find((version) => version.storage)?.name ?? ''
  return crd.spec.versions.filter((version) => version.served).map((version) => definitionOf(crd, version, storage))
}

/** The stored object as what it is; its shape was checked when it was written. */
export function asCrd(object: StoredObject): CustomResourceDefinition {
  return object as unknown as CustomResourceDefinition
}

function definitionOf(
  crd: CustomResourceDefinition,
  version: CustomResourceVersion,
  storageVersion: string,
): KindDefinition {
  const { group, names, scope } = crd.spec
  const schema = version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const subresources = new Set<Subresource>()
  if (version.subresources?.status !== undefined) subresources.add('status')
  const scale = scaleOf(version)
  if (scale !== undefined) subresources.add('scale')
  return {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    table: `${group}/${names.plural}`,
    storageVersion,
    conversion: undefined,
    type: typeOfResource(schema),
    subresources,
    scale,
    tracksGeneration: true,
    fields: commonFields,
    columns: columnsOf(version.additionalPrinterColumns),
    strategy: { ...defaultStrategy, unconditionalUpdate: false },
    custom: { schema, crdName: crd.metadata.name, replicasPath: version.subresources?.scale?.specReplicasPath },
  }
}

function scaleOf(version: CustomResourceVersion): ScalePaths | undefined {
  const scale = version.subresources?.scale
  if (scale === undefined) return undefined
  return {
    specReplicas: fieldSteps(scale.specReplicasPath),
    statusReplicas: fieldSteps(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : fieldSteps(scale.labelSelectorPath),
  }
}

function columnsOf(columns: readonly PrinterColumn[] | undefined): readonly TableColumn[] {
  if (columns === undefined || columns.length === 0) return [nameColumn, ageColumn]
  return [nameColumn, ...columns.map(columnOf)]
}

const columnTypes: readonly TableColumn['type'][] = ['string', 'integer', 'number', 'boolean', 'date']

function columnOf(column: PrinterColumn): TableColumn {
  const steps = parseJsonPath(column.jsonPath)
  const type = columnTypes.find((candidate) => candidate === column.type) ?? 'string'
  return {
    name: column.name,
    type,
    ...(column.format === undefined ? {} : { format: column.format }),
    ...(column.description === undefined ? {} : { description: column.description }),
    priority: (column.priority ?? 0) > 0 ? 1 : 0,
    value: (object, now) => cell(type, evaluateJsonPath(steps, object), now),
  }
}

/** An absent value prints as nothing; several as a comma-separated list. */
function cell(type: TableColumn['type'], found: readonly unknown[], now: number): unknown {
  const [first] = found
  if (first === undefined) return type === 'date' ? '<unknown>' : ''
  if (type === 'date') return ageText(typeof first === 'string' ? first : undefined, now)
  if (type === 'string')
    return found.map((value) => (isObject(value) ? JSON.stringify(value) : String(value))).join(',')
  return first
}
