import { batchSizeBuckets } from '../../kube/metric-buckets.ts'
import {
  type Accessors,
  counter,
  defineTable,
  duration,
  gauge,
  histogram,
  type MetricRow,
} from '../../kube/metric-row.ts'
import type { Metrics } from '../../kube/metrics.ts'

export type AWSMetrics = Accessors<typeof awsMetricTable>

export function defineMetrics(metrics: Metrics): AWSMetrics {
  return defineTable(metrics, awsMetricTable)
}

const offeringLabels = ['instance_type', 'capacity_type', 'zone'] as const

/** The provider's metric families; names and labels are those that dashboards of Karpenter read. */
export const awsMetricTable = {
  receivedMessages: counter(
    'interruption_received_messages_total',
    'stable',
    ['message_type'],
    'Messages received from the interruption queue.',
  ),
  deletedMessages: counter(
    'interruption_deleted_messages_total',
    'stable',
    [],
    'Messages deleted from the interruption queue.',
  ),
  messageQueueDuration: duration(
    'interruption_message_queue_duration_seconds',
    'stable',
    [],
    'Time from the sending of an interruption message to its handling.',
  ),
  instanceStatusUnhealthy: counter(
    'interruption_instance_status_unhealthy_total',
    'stable',
    ['category'],
    'Unhealthy instance statuses acted upon.',
  ),
  offeringAvailable: gauge(
    'cloudprovider_instance_type_offering_available',
    'beta',
    offeringLabels,
    '1 when the offering can be had.',
  ),
  offeringPrice: gauge(
    'cloudprovider_instance_type_offering_price_estimate',
    'beta',
    offeringLabels,
    'US dollars per hour that the offering is believed to cost.',
  ),
  cpuCores: gauge('cloudprovider_instance_type_cpu_cores', 'beta', ['instance_type'], 'vCPUs of an instance type.'),
  memoryBytes: gauge(
    'cloudprovider_instance_type_memory_bytes',
    'beta',
    ['instance_type'],
    'Memory of an instance type.',
  ),
  launchFailures: counter(
    'cloudprovider_instance_launch_failures_total',
    'beta',
    ['zone', 'zone_id', 'capacity_type', 'reason'],
    'Launches that failed.',
  ),
  terminationFailures: counter(
    'cloudprovider_instance_termination_failures_total',
    'beta',
    ['zone', 'zone_id'],
    'Terminations that failed.',
  ),
  batchTime: duration(
    'cloudprovider_batcher_batch_time_seconds',
    'beta',
    ['batcher'],
    'Time a batch of cloud calls was open.',
  ),
  batchSize: histogram(
    'cloudprovider_batcher_batch_size',
    'beta',
    ['batcher'],
    batchSizeBuckets,
    'Calls in one batch.',
  ),
  userDataBytes: gauge(
    'ec2nodeclasses_userdata_bytes',
    'alpha',
    ['nodeclass'],
    'Size of the user data of an EC2NodeClass.',
  ),
} as const satisfies Readonly<Record<string, MetricRow>>
