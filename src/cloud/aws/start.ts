import type { AWSClients } from './clients.ts'
import { causeChainText, isDryRunSuccess } from './errors.ts'

/**
 * Whether EC2 can be reached and lets us in; the first thing asked at start, so that a wrong role or network shows at once.
 * @throws what EC2 answered, or why it did not: an address alone would not say whose it is
 */
export async function checkEC2Connectivity(clients: Pick<AWSClients, 'ec2'>): Promise<void> {
  try {
    await clients.ec2.describeInstanceTypes({ DryRun: true })
  } catch (error) {
    if (!isDryRunSuccess(error))
      throw new Error(`ec2 api connectivity check failed, ${causeChainText(error)}`, { cause: error })
  }
}

/** The cluster's ARN at EKS, by which ARC knows it. */
export async function clusterARN(clients: Pick<AWSClients, 'eks'>, clusterName: string): Promise<string> {
  const arn = (await clients.eks.describeCluster({ name: clusterName })).cluster?.arn
  if (arn === undefined) throw new Error('EKS does not tell the ARN of the cluster')
  return arn
}
