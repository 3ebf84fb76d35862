import type { KubeObject, Service, StorageClass, Unsaved } from '../api/kubernetes.ts'
import { hasCode } from '../kube/errors.ts'
import { priorityClasses, services, storageClasses } from '../kube/kinds.ts'
import type { KubeClient } from '../kube/port.ts'
import type { Resource } from '../kube/resource.ts'

/** Where the cluster's DNS answers, in the service range that EKS gives. */
const dnsAddress = '172.20.0.10'

const kubeDNS: Unsaved<Service> = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kube-dns', namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
  spec: {
    clusterIP: dnsAddress,
    selector: { 'k8s-app': 'kube-dns' },
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
      { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
    ],
  },
}

const gp3: Unsaved<StorageClass> = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'gp3', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'ebs.csi.aws.com',
  volumeBindingMode: 'WaitForFirstConsumer',
}

/** What a new EKS cluster has besides its namespaces: DNS, a storage class, the system's priority classes. */
export async function createBaseObjects(client: KubeClient): Promise<void> {
  await createMissing(client, services, kubeDNS)
  await createMissing(client, storageClasses, gp3)
  for (const [name, value] of [
    ['system-node-critical', 2_000_001_000],
    ['system-cluster-critical', 2_000_000_000],
  ] as const) {
    await createMissing(client, priorityClasses, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
    })
  }
}

async function createMissing<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  object: Unsaved<T>,
): Promise<void> {
  try {
    await client.create(resource, object)
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error
  }
}
