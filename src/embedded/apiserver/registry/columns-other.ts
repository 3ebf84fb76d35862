import { arrayAt, at, numberAt, objectAt, textAt } from '../json.ts'
import type { StoredObject } from '../object.ts'
import { column, countColumn, textColumn } from './columns.ts'
import type { TableColumn } from './definition.ts'
import { ageColumn, nameColumn } from './kind.ts'

/** How many metrics of an autoscaler are printed. */
const metricsShown = 2

export const autoscalerColumns: readonly TableColumn[] = [
  nameColumn,
  column('Reference', (object) => {
    const target = objectAt(object, 'spec', 'scaleTargetRef')
    return `${textAt(target, 'kind') ?? ''}/${textAt(target, 'name') ?? ''}`
  }),
  column('Targets', metricsText),
  column('MinPods', (object) => String(numberAt(object, 'spec', 'minReplicas') ?? '<unset>')),
  countColumn('MaxPods', 'spec.maxReplicas'),
  countColumn('Replicas', 'status.currentReplicas'),
  ageColumn,
]

/** What is wanted; nothing measures here, so that what there is is unknown. */
function metricsText(autoscaler: StoredObject): string {
  const texts = arrayAt(autoscaler, 'spec', 'metrics').map((metric) => {
    const type = textAt(metric, 'type') ?? ''
    const source = objectAt(metric, `${type.charAt(0).toLowerCase()}${type.slice(1)}`)
    const share = numberAt(source, 'target', 'averageUtilization')
    const amount = at(source, 'target', 'averageValue') ?? at(source, 'target', 'value') ?? ''
    const named = textAt(source, 'name')
    const prefix = named === undefined ? '' : `${named}: `
    return `${prefix}<unknown>/${share === undefined ? String(amount) : `${share}%`}`
  })
  if (texts.length === 0) return '<none>'
  const more = texts.length - metricsShown
  return more > 0 ? `${texts.slice(0, metricsShown).join(', ')} + ${more} more...` : texts.join(', ')
}

export const ingressColumns: readonly TableColumn[] = [
  nameColumn,
  textColumn('Class', 'spec.ingressClassName'),
  column('Hosts', (ingress) => {
    const hosts = arrayAt(ingress, 'spec', 'rules').map((rule) => textAt(rule, 'host') ?? '*')
    return [...new Set(hosts)].join(',') || '*'
  }),
  column('Address', (ingress) =>
    arrayAt(ingress, 'status', 'loadBalancer', 'ingress')
      .map((each) => textAt(each, 'ip') ?? textAt(each, 'hostname') ?? '')
      .join(','),
  ),
  column('Ports', (ingress) => (arrayAt(ingress, 'spec', 'tls').length > 0 ? '80, 443' : '80')),
  ageColumn,
]

export function parametersText(ingressClass: StoredObject): string {
  const parameters = objectAt(ingressClass, 'spec', 'parameters')
  if (parameters === undefined) return '<none>'
  const group = textAt(parameters, 'apiGroup')
  return `${textAt(parameters, 'kind') ?? ''}${group === undefined ? '' : `.${group}`}/${textAt(parameters, 'name') ?? ''}`
}

export const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column('Role', (object) => `${textAt(object, 'roleRef', 'kind') ?? ''}/${textAt(object, 'roleRef', 'name') ?? ''}`),
  ageColumn,
  column('Users', (object) => subjectsText(object, 'User'), 1),
  column('Groups', (object) => subjectsText(object, 'Group'), 1),
  column('ServiceAccounts', (object) => subjectsText(object, 'ServiceAccount'), 1),
]

function subjectsText(object: StoredObject, kind: string): string {
  return arrayAt(object, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => {
      const namespace = kind === 'ServiceAccount' ? textAt(subject, 'namespace') : undefined
      return `${namespace === undefined ? '' : `${namespace}/`}${textAt(subject, 'name') ?? ''}`
    })
    .join(', ')
}
