import type { Counter, Gauge, Histogram, Metrics } from '../../kube/metrics.ts'

/** The provider's metric families; names and labels are those that dashboards of Karpenter read. */
export interface AWSMetrics {
  readonly receivedMessages: Counter
  readonly deletedMessages: Counter
  readonly messageQueueDuration: Histogram
  readonly instanceStatusUnhealthy: Counter
  readonly cpuCores: Gauge
  readonly memoryBytes: Gauge
  readonly offeringAvailable: Gauge
  readonly offeringPrice: Gauge
  readonly launchFailures: Counter
  readonly terminationFailures: Counter
  readonly batchTime: Histogram
  readonly batchSize: Histogram
  readonly userDataBytes: Gauge
}

/** Prometheus' own defaults, in seconds. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const batchSizeBuckets = [
  1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 125, 150, 175, 200, 225, 250, 275, 300, 350, 400, 450,
  500, 550, 600, 700, 800, 900, 1000,
]

export function defineMetrics(metrics: Metrics): AWSMetrics {
  const offering = ['instance_type', 'capacity_type', 'zone']
  return {
    receivedMessages: metrics.counter({
      name: 'karpenter_interruption_received_messages_total',
      help: 'Count of messages received from the SQS queue. Broken down by message type and whether the message was actionable.',
      labels: ['message_type'],
    }),
    deletedMessages: metrics.counter({
      name: 'karpenter_interruption_deleted_messages_total',
      help: 'Count of messages deleted from the SQS queue.',
      labels: [],
    }),
    messageQueueDuration: metrics.histogram({
      name: 'karpenter_interruption_message_queue_duration_seconds',
      help: 'Amount of time an interruption message is on the queue before it is processed by karpenter.',
      labels: [],
      buckets: defaultBuckets,
    }),
    instanceStatusUnhealthy: metrics.counter({
      name: 'karpenter_interruption_instance_status_unhealthy_total',
      help: 'Count of instances found unhealthy by EC2 status checks or with scheduled events, by category.',
      labels: ['category'],
    }),
    cpuCores: metrics.gauge({
      name: 'karpenter_cloudprovider_instance_type_cpu_cores',
      help: 'VCPUs cores for a given instance type.',
      labels: ['instance_type'],
    }),
    memoryBytes: metrics.gauge({
      name: 'karpenter_cloudprovider_instance_type_memory_bytes',
      help: 'Memory, in bytes, for a given instance type.',
      labels: ['instance_type'],
    }),
    offeringAvailable: metrics.gauge({
      name: 'karpenter_cloudprovider_instance_type_offering_available',
      help: 'Instance type offering availability, based on instance type, capacity type, and zone',
      labels: offering,
    }),
    offeringPrice: metrics.gauge({
      name: 'karpenter_cloudprovider_instance_type_offering_price_estimate',
      help: 'Instance type offering estimated hourly price used when making informed decisions on node cost calculation, based on instance type, capacity type, and zone.',
      labels: offering,
    }),
    launchFailures: metrics.counter({
      name: 'karpenter_cloudprovider_instance_launch_failures_total',
      help: 'Count of failed instance launches. Broken down by zone, capacity type and reason.',
      labels: ['zone', 'zone_id', 'capacity_type', 'reason'],
    }),
    terminationFailures: metrics.counter({
      name: 'karpenter_cloudprovider_instance_termination_failures_total',
      help: 'Count of failed instance terminations. Broken down by zone.',
      labels: ['zone', 'zone_id'],
    }),
    batchTime: metrics.histogram({
      name: 'karpenter_cloudprovider_batcher_batch_time_seconds',
      help: 'Duration of the batching window per batcher',
      labels: ['batcher'],
      buckets: defaultBuckets,
    }),
    batchSize: metrics.histogram({
      name: 'karpenter_cloudprovider_batcher_batch_size',
      help: 'Size of the request batch per batcher',
      labels: ['batcher'],
      buckets: batchSizeBuckets,
    }),
    userDataBytes: metrics.gauge({
      name: 'karpenter_ec2nodeclasses_userdata_bytes',
      help: 'Size of the rendered user data in bytes before base64 encoding.',
      labels: ['nodeclass'],
    }),
  }
}
