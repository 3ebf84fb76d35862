import { jsonEqual } from '../../../api/json.ts'
import { controllerOf } from '../../../api/owner-references.ts'
import { arrayAt, at, isObject, type JsonObject, numberAt, objectAt, textAt, textMapAt, withAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'
import { column, countColumn, textColumn, workloadWideColumns } from './columns.ts'
import { jobColumns } from './columns-job.ts'
import type { Strategy } from './definition.ts'
import type { BuiltinKind } from './kind.ts'
import { ageColumn, ageText, nameColumn, replicaPaths, withStatus } from './kind.ts'
import { cronJobErrors, jobErrors } from './job-validation.ts'
import { defaultTemplate, withDefaults } from './pod-defaults.ts'
import { workloadErrors } from './workload-validation.ts'

const apps = { group: 'apps', version: 'v1', namespaced: true, categories: ['all'], tracksGeneration: true } as const

export const workloadKinds: readonly BuiltinKind[] = [
  {
    ...apps,
    kind: 'Deployment',
    plural: 'deployments',
    model: 'V1Deployment',
    shortNames: ['deploy'],
    subresources: ['status'],
    scale: replicaPaths,
    columns: [
      nameColumn,
      column('Ready', readyOf('readyReplicas')),
      countColumn('Up-to-date', 'status.updatedReplicas'),
      countColumn('Available', 'status.availableReplicas'),
      ageColumn,
      ...workloadWideColumns,
    ],
    strategy: workloadStrategy(
      (spec) => {
        const strategy = withDefaults(objectAt(spec, 'strategy') ?? {}, { type: 'RollingUpdate' })
        const rolling = withDefaults(objectAt(strategy, 'rollingUpdate') ?? {}, {
          maxUnavailable: '25%',
          maxSurge: '25%',
        })
        const complete = strategy['type'] === 'RollingUpdate' ? withAt(strategy, ['rollingUpdate'], rolling) : strategy
        return { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600, strategy: complete }
      },
      ['strategy'],
    ),
  },
  {
    ...apps,
    kind: 'ReplicaSet',
    plural: 'replicasets',
    model: 'V1ReplicaSet',
    shortNames: ['rs'],
    subresources: ['status'],
    scale: replicaPaths,
    selectable: ['status.replicas'],
    fields: { 'status.replicas': (set) => String(numberAt(set, 'status', 'replicas') ?? 0) },
    columns: [
      nameColumn,
      countColumn('Desired', 'spec.replicas'),
      countColumn('Current', 'status.replicas'),
      countColumn('Ready', 'status.readyReplicas'),
      ageColumn,
      ...workloadWideColumns,
    ],
    strategy: workloadStrategy(() => ({ replicas: 1 }), [], { replicas: 0 }),
  },
  {
    ...apps,
    kind: 'StatefulSet',
    plural: 'statefulsets',
    model: 'V1StatefulSet',
    shortNames: ['sts'],
    subresources: ['status'],
    scale: replicaPaths,
    columns: [nameColumn, column('Ready', readyOf('readyReplicas')), ageColumn, ...workloadWideColumns.slice(0, 2)],
    strategy: workloadStrategy(
      (spec) => ({
        ...claimTemplates(spec),
        replicas: 1,
        podManagementPolicy: 'OrderedReady',
        revisionHistoryLimit: 10,
        updateStrategy: updateStrategyOf(spec, { partition: 0 }),
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        serviceName: '',
      }),
      ['volumeClaimTemplates', 'updateStrategy'],
      { replicas: 0, availableReplicas: 0 },
    ),
  },
  {
    ...apps,
    kind: 'DaemonSet',
    plural: 'daemonsets',
    model: 'V1DaemonSet',
    shortNames: ['ds'],
    subresources: ['status'],
    columns: [
      nameColumn,
      countColumn('Desired', 'status.desiredNumberScheduled'),
      countColumn('Current', 'status.currentNumberScheduled'),
      countColumn('Ready', 'status.numberReady'),
      countColumn('Up-to-date', 'status.updatedNumberScheduled'),
      countColumn('Available', 'status.numberAvailable'),
      column('Node Selector', (set) => {
        const entries = Object.entries(textMapAt(set, 'spec', 'template', 'spec', 'nodeSelector'))
        return entries.length === 0 ? '<none>' : entries.map(([key, value]) => `${key}=${value}`).join(',')
      }),
      ageColumn,
      ...workloadWideColumns,
    ],
    strategy: {
      ...workloadStrategy(
        (spec) => ({
          revisionHistoryLimit: 10,
          updateStrategy: updateStrategyOf(spec, { maxUnavailable: 1, maxSurge: 0 }),
        }),
        ['updateStrategy'],
        { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      ),
      prepareUpdate: countTemplate,
    },
  },
  {
    ...apps,
    categories: [],
    tracksGeneration: false,
    kind: 'ControllerRevision',
    plural: 'controllerrevisions',
    model: 'V1ControllerRevision',
    columns: [nameColumn, column('Controller', controllerText), countColumn('Revision', 'revision'), ageColumn],
  },
  {
    group: '',
    version: 'v1',
    namespaced: true,
    tracksGeneration: true,
    categories: ['all'],
    kind: 'ReplicationController',
    plural: 'replicationcontrollers',
    model: 'V1ReplicationController',
    shortNames: ['rc'],
    subresources: ['status'],
    scale: replicaPaths,
  },
  {
    group: 'batch',
    version: 'v1',
    namespaced: true,
    categories: ['all'],
    tracksGeneration: true,
    kind: 'Job',
    plural: 'jobs',
    model: 'V1Job',
    subresources: ['status'],
    selectable: ['status.successful'],
    fields: { 'status.successful': (job) => String(numberAt(job, 'status', 'succeeded') ?? 0) },
    columns: jobColumns,
    strategy: {
      applyDefaults: (job) => {
        const spec = objectAt(job, 'spec') ?? {}
        const uid = textAt(job, 'metadata', 'uid') ?? ''
        const template = defaultTemplate(objectAt(spec, 'template') ?? {})
        const labels = {
          'batch.kubernetes.io/controller-uid': uid,
          'controller-uid': uid,
          'batch.kubernetes.io/job-name': textAt(job, 'metadata', 'name'),
          'job-name': textAt(job, 'metadata', 'name'),
        }
        const own = spec['manualSelector'] === true || uid === ''
        const labelled = own
          ? template
          : withAt(template, ['metadata', 'labels'], { ...textMapAt(template, 'metadata', 'labels'), ...labels })
        const selector = own ? {} : { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } } }
        return withAt(job, ['spec'], {
          ...withDefaults(spec, {
            parallelism: 1,
            completions: spec['parallelism'] === undefined ? 1 : undefined,
            backoffLimit: 6,
            completionMode: 'NonIndexed',
            suspend: false,
            podReplacementPolicy: 'TerminatingOrFailed',
            ...selector,
          }),
          template: labelled,
        })
      },
      validate: jobErrors,
    },
  },
  {
    group: 'batch',
    version: 'v1',
    namespaced: true,
    categories: ['all'],
    tracksGeneration: true,
    kind: 'CronJob',
    plural: 'cronjobs',
    model: 'V1CronJob',
    shortNames: ['cj'],
    subresources: ['status'],
    columns: [
      nameColumn,
      textColumn('Schedule', 'spec.schedule'),
      textColumn('Timezone', 'spec.timeZone'),
      column('Suspend', (job) => (at(job, 'spec', 'suspend') === true ? 'True' : 'False')),
      { name: 'Active', type: 'integer', priority: 0, value: (job) => arrayAt(job, 'status', 'active').length },
      column('Last Schedule', (job, now) => {
        const last = textAt(job, 'status', 'lastScheduleTime')
        return last === undefined ? '<none>' : ageText(last, now)
      }),
      ageColumn,
      column('Containers', (job) => containersText(job, 'name'), 1),
      column('Images', (job) => containersText(job, 'image'), 1),
      column('Selector', () => '<none>', 1),
    ],
    strategy: {
      prepareCreate: (job) => withStatus(job, {}),
      validate: cronJobErrors,
      applyDefaults: (job) => {
        const spec = withDefaults(objectAt(job, 'spec') ?? {}, {
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        })
        const template = defaultTemplate(objectAt(spec, 'jobTemplate', 'spec', 'template') ?? {})
        const jobTemplate = withDefaults(objectAt(spec, 'jobTemplate') ?? {}, { metadata: {} })
        return withAt(job, ['spec'], { ...spec, jobTemplate: withAt(jobTemplate, ['spec', 'template'], template) })
      },
    },
  },
]

function workloadStrategy(
  defaults: (spec: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  recomputed: readonly string[] = [],
  initialStatus: Readonly<Record<string, unknown>> = {},
): Partial<Strategy> {
  return {
    prepareCreate: (object) => withAt(withGeneration(object), ['status'], initialStatus),
    applyDefaults: (object) => {
      const spec = objectAt(object, 'spec') ?? {}
      const values = defaults(spec)
      const forced = Object.fromEntries(
        recomputed.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
      )
      const template = defaultTemplate(objectAt(spec, 'template') ?? {})
      const complete = { ...withDefaults(spec, values), ...forced, template }
      return jsonEqual(complete, spec) ? object : withAt(object, ['spec'], complete)
    },
    validate: workloadErrors,
  }
}

function updateStrategyOf(spec: JsonObject, rollingUpdate: JsonObject): JsonObject {
  const strategy = withDefaults(objectAt(spec, 'updateStrategy') ?? {}, { type: 'RollingUpdate' })
  if (strategy['type'] !== 'RollingUpdate') return strategy
  return withAt(strategy, ['rollingUpdate'], withDefaults(objectAt(strategy, 'rollingUpdate') ?? {}, rollingUpdate))
}

/** With the defaults of the claims that are made of them. */
function claimTemplates(spec: JsonObject): JsonObject {
  const templates = arrayAt(spec, 'volumeClaimTemplates').filter(isObject)
  if (templates.length === 0) return {}
  return {
    volumeClaimTemplates: templates.map((template) => ({
      ...template,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      spec: withDefaults(objectAt(template, 'spec') ?? {}, { volumeMode: 'Filesystem' }),
      status: { phase: 'Pending' },
    })),
  }
}

/** Daemon sets still carry the counter that once was their generation. */
const templateGeneration = 'deprecated.daemonset.template.generation'

function withGeneration(object: IncomingObject): IncomingObject {
  return object.kind === 'DaemonSet' ? withTemplateGeneration(object, 1) : object
}

/** Counts how often the template of a daemon set has changed. */
function countTemplate(object: IncomingObject, old: StoredObject): IncomingObject {
  const before = Number(textAt(old, 'metadata', 'annotations', templateGeneration) ?? 0)
  const isSame = jsonEqual(objectAt(object, 'spec', 'template'), objectAt(old, 'spec', 'template'))
  return withTemplateGeneration(object, isSame ? before : before + 1)
}

function withTemplateGeneration(object: IncomingObject, generation: number): IncomingObject {
  return withAt(object, ['metadata', 'annotations'], {
    ...textMapAt(object, 'metadata', 'annotations'),
    [templateGeneration]: String(generation),
  })
}

/** As kubectl names it: `statefulset.apps/db`. */
function controllerText({ metadata }: StoredObject): string {
  const controller = controllerOf(metadata)
  if (controller === undefined) return '<none>'
  const [group, version] = controller.apiVersion.split('/')
  return `${controller.kind.toLowerCase()}${version === undefined ? '' : `.${group}`}/${controller.name}`
}

function readyOf(name: string): (object: StoredObject) => string {
  return (object) => `${numberAt(object, 'status', name) ?? 0}/${numberAt(object, 'spec', 'replicas') ?? 0}`
}

function containersText(cronJob: StoredObject, name: string): string {
  return arrayAt(cronJob, 'spec', 'jobTemplate', 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, name) ?? '')
    .join(',')
}
