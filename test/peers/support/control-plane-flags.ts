import { join } from 'node:path'

/** Where a control plane keeps its files and listens. */
export interface Layout {
  readonly folder: string
  readonly ports: Readonly<Record<'etcd' | 'etcdPeer' | 'apiServer' | 'controllerManager' | 'scheduler', number>>
}

/** A range that does not contain loopback; its first address is the `kubernetes` service. */
const serviceRange = '10.96.0.0/16'
export const kubernetesServiceAddress = '10.96.0.1'

/** The controllers that the life of nodes and workloads needs. Left out: what needs a cloud, a kubelet or a network. */
const defaultControllers = [
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'garbage-collector-controller',
  'job-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'persistentvolume-binder-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'statefulset-controller',
  'taint-eviction-controller',
] as const

export function etcdFlags({ folder, ports }: Layout): string[] {
  const client = `http://127.0.0.1:${ports.etcd}`
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=http://127.0.0.1:${ports.etcdPeer}`,
    // The data need not outlive the run, and a busy disk makes a leader election out of every slow write.
    '--unsafe-no-fsync',
  ]
}

export function apiServerFlags(
  { folder, ports }: Layout,
  options: { serviceAccounts: 'admitted' | 'ignored' },
): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${ports.apiServer}`,
    // Loopback is not allowed in the `kubernetes` Endpoints, which nobody here needs.
    '--endpoint-reconciler-type=none',
    // Webhooks are reached at the addresses of their Service's endpoints: nothing here carries traffic to a service address.
    '--enable-aggregator-routing=true',
    `--service-cluster-ip-range=${serviceRange}`,
    `--client-ca-file=${join(folder, 'ca.crt')}`,
    // Nobody stands in front of this server, but the other components wait for these settings before they trust anyone.
    `--requestheader-client-ca-file=${join(folder, 'ca.crt')}`,
    '--requestheader-allowed-names=front-proxy',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--tls-cert-file=${join(folder, 'apiserver.crt')}`,
    `--tls-private-key-file=${join(folder, 'apiserver.key')}`,
    '--authorization-mode=RBAC',
    // Off by default, on in OpenShift: whoever makes an object wait for another's deletion needs rights on that one's finalizers.
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
    '--allow-privileged=true',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${join(folder, 'service-account.key')}`,
    `--service-account-signing-key-file=${join(folder, 'service-account.key')}`,
    // Without the controller that makes every namespace's default account, this plugin would refuse every pod.
    ...(options.serviceAccounts === 'ignored' ? ['--disable-admission-plugins=ServiceAccount'] : []),
  ]
}

export interface ControllerManagerOptions {
  readonly controllers?: readonly string[]
  /** How long a node may be silent before it counts as lost; the default is that of Kubernetes. */
  readonly nodeMonitorGracePeriodSeconds?: number
}

export function controllerManagerFlags(
  { folder, ports }: Layout,
  kubeconfig: string,
  options: ControllerManagerOptions,
): string[] {
  return [
    ...clientFlags(kubeconfig, ports.controllerManager),
    `--controllers=${(options.controllers ?? defaultControllers).join(',')}`,
    // Each controller then acts with the rights RBAC gives to it; the program's own identity may do little.
    '--use-service-account-credentials=true',
    `--root-ca-file=${join(folder, 'ca.crt')}`,
    `--service-account-private-key-file=${join(folder, 'service-account.key')}`,
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    ...(options.nodeMonitorGracePeriodSeconds === undefined
      ? []
      : [`--node-monitor-grace-period=${options.nodeMonitorGracePeriodSeconds}s`]),
  ]
}

export function schedulerFlags({ ports }: Layout, kubeconfig: string, configuration: string): string[] {
  return [
    ...clientFlags(kubeconfig, ports.scheduler),
    `--config=${configuration}`,
    // A pod whose place came while it was being refused is looked at again after so long; after five minutes by default.
    '--pod-max-in-unschedulable-pods-duration=20s',
  ]
}

/** What its flags cannot say. A KubeSchedulerConfiguration. */
export function schedulerConfiguration(kubeconfig: string): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    clientConnection: { kubeconfig, qps: 200, burst: 400 },
    leaderElection: { leaderElect: false },
    // Ten seconds by default, which a pod that was refused before its node was ready for it mostly spends waiting.
    podMaxBackoffSeconds: 2,
  }
}

function clientFlags(kubeconfig: string, port: number): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--leader-elect=false',
  ]
}
