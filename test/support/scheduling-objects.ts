import type {
  Container,
  DaemonSet,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeClaim,
  PodSpec,
  StorageClass,
} from '../../src/api/kubernetes.ts'
import type { PodInfo } from '../../src/model/pod.ts'
import type { DaemonSetInfo } from '../../src/model/snapshot.ts'

/** Builders of the Kubernetes objects beside pods and nodes that scheduling reads. */

export function metadata(name: string, namespace?: string) {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: `uid-${name}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  }
}

export interface DaemonSetOptions extends Partial<Omit<PodSpec, 'containers'>> {
  readonly name?: string
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
  readonly ports?: Container['ports']
  /** The pod of it that runs already. */
  readonly newestPod?: PodInfo
}

export function aDaemonSet(options: DaemonSetOptions = {}): DaemonSetInfo {
  const { name = 'ds', requests, limits, ports, newestPod, ...spec } = options
  const daemonSet: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: metadata(name, 'default'),
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          ...spec,
          containers: [
            {
              name: 'main',
              resources: {
                ...(requests === undefined ? {} : { requests: { ...requests } }),
                ...(limits === undefined ? {} : { limits: { ...limits } }),
              },
              ...(ports === undefined ? {} : { ports }),
            },
          ],
        },
      },
    },
  }
  return { daemonSet, newestPod }
}

export function aClaim(options: {
  readonly name: string
  readonly storageClassName?: string
  readonly volumeName?: string
  readonly phase?: string
  readonly deleting?: boolean
  readonly annotations?: Record<string, string>
}): PersistentVolumeClaim {
  const { name, storageClassName, volumeName, phase, deleting, annotations } = options
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      ...metadata(name, 'default'),
      annotations: annotations ?? (volumeName === undefined ? {} : { 'pv.kubernetes.io/bind-completed': 'yes' }),
      ...(deleting === true ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volumeName === undefined ? {} : { volumeName }),
    },
    status: { phase: phase ?? (volumeName === undefined ? 'Pending' : 'Bound') },
  }
}

export function aVolume(
  name: string,
  terms: readonly NodeSelectorTerm[],
  source: Partial<PersistentVolume['spec']> = { csi: { driver: 'ebs.csi.aws.com' } },
): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: metadata(name),
    spec: {
      ...source,
      ...(terms.length === 0 ? {} : { nodeAffinity: { required: { nodeSelectorTerms: [...terms] } } }),
    },
  }
}

export function aStorageClass(
  name: string,
  options: {
    readonly binding?: 'Immediate' | 'WaitForFirstConsumer'
    /** Alternatives, each a list of zones. */
    readonly zones?: readonly (readonly string[])[]
    readonly provisioner?: string
  } = {},
): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: metadata(name),
    provisioner: options.provisioner ?? 'ebs.csi.aws.com',
    volumeBindingMode: options.binding ?? 'WaitForFirstConsumer',
    ...(options.zones === undefined
      ? {}
      : {
          allowedTopologies: options.zones.map((values) => ({
            matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: [...values] }],
          })),
        }),
  }
}

export function inZones(...zones: string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: zones }] }
}

/** What makes pods go to a node each. */
export const apart = {
  labels: { app: 'apart' },
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'apart' } } },
      ],
    },
  },
}
