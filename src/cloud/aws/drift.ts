import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import { ec2NodeClassHashAnnotations, hashesDiffer } from '../../api/hash/index.ts'
import { compareText } from '../../model/order.ts'
import type { DriftFinding } from '../../model/drift-finding.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { amiFor } from './ami/map-types.ts'
import type { EC2Instance } from './instance/ec2-instance.ts'
import { hashAnnotation, instanceTypeKey, placementGroupIDKey } from './keys.ts'

export interface DriftInputs {
  readonly nodeClaim: NodeClaim
  readonly nodeClass: EC2NodeClass
  readonly instance: EC2Instance
  /** The claim's type as the class sees it now. */
  readonly type: InstanceType | undefined
  readonly placementGroupID: string
  /** Whether the instance's reservation, which the status does not name, still belongs to the class by a fresh look at EC2. */
  reservationSelected(id: string): Promise<boolean>
}

/** The class's status does not say enough to judge. */
class DriftError extends Error {
  readonly code = 'Drift'
  override readonly name = 'DriftError'
}

/** From the annotations alone, before any look at EC2. */
export function staticDrift(nodeClaim: NodeClaim, nodeClass: EC2NodeClass): DriftFinding | undefined {
  if (!hashesDiffer(nodeClass, nodeClaim, ec2NodeClassHashAnnotations)) return undefined
  const hashAt = ({ metadata }: NodeClaim | EC2NodeClass): string => metadata.annotations?.[hashAnnotation] ?? ''
  return {
    reason: 'NodeClassDrift',
    fields: [],
    detail: `hash ${hashAt(nodeClaim)} at launch, ${hashAt(nodeClass)} now`,
  }
}

/**
 * What differs between an instance and what its class would launch now; the first finding wins, but everything is looked at first, so
 * that what cannot be judged is told.
 * @throws DriftError
 */
export async function dynamicDrift(inputs: DriftInputs): Promise<DriftFinding | undefined> {
  const ami = amiDrift(inputs)
  if (ami !== undefined) return ami
  const securityGroups = securityGroupDrift(inputs)
  const subnet = subnetDrift(inputs)
  const reservation = await reservationDrift(inputs)
  const placementGroup = placementGroupDrift(inputs)
  return securityGroups ?? subnet ?? reservation ?? placementGroup
}

function amiDrift({ nodeClaim, nodeClass, type }: DriftInputs): DriftFinding | undefined {
  const name = nodeClaim.metadata.labels?.[instanceTypeKey] ?? ''
  if (type === undefined) throw new DriftError(`finding node instance type ${JSON.stringify(name)}`)
  const amis = nodeClass.status?.amis ?? []
  if (amis.length === 0) throw new DriftError('no amis exist given constraints')
  const imageID = nodeClaim.status?.imageID ?? ''
  if (imageID === '') throw new DriftError('no imageID in the status of the nodeclaim')
  const wanted = amiFor(type, amis)
  if (wanted === undefined) throw new DriftError(`no instance types satisfy requirements of amis for ${name}`)
  return wanted.id === imageID
    ? undefined
    : { reason: 'AMIDrift', fields: [], detail: `image ${imageID}, ${wanted.id} wanted` }
}

function securityGroupDrift({ nodeClass, instance }: DriftInputs): DriftFinding | undefined {
  const wanted = (nodeClass.status?.securityGroups ?? []).map((group) => group.id)
  if (wanted.length === 0) throw new DriftError('no security groups are present in the status')
  const [have, want] = [listText(instance.securityGroupIDs), listText(wanted)]
  return have === want
    ? undefined
    : { reason: 'SecurityGroupDrift', fields: [], detail: `security groups ${have}, ${want} wanted` }
}

function subnetDrift({ nodeClass, instance }: DriftInputs): DriftFinding | undefined {
  const wanted = (nodeClass.status?.subnets ?? []).map((subnet) => subnet.id)
  if (wanted.length === 0) throw new DriftError('no subnets are present in the status')
  return wanted.includes(instance.subnetID)
    ? undefined
    : { reason: 'SubnetDrift', fields: [], detail: `subnet ${instance.subnetID}, one of ${listText(wanted)} wanted` }
}

async function reservationDrift(inputs: DriftInputs): Promise<DriftFinding | undefined> {
  const id = inputs.instance.reservation?.id
  if (id === undefined) return undefined
  if ((inputs.nodeClass.status?.capacityReservations ?? []).some((it) => it.id === id)) return undefined
  if (await inputs.reservationSelected(id)) return undefined
  return { reason: 'CapacityReservationDrift', fields: [], detail: `reservation ${id} is no longer selected` }
}

function placementGroupDrift({ nodeClaim, placementGroupID }: DriftInputs): DriftFinding | undefined {
  const have = nodeClaim.metadata.labels?.[placementGroupIDKey] ?? ''
  return have === placementGroupID
    ? undefined
    : { reason: 'PlacementGroupDrift', fields: [], detail: `placement group "${have}", "${placementGroupID}" wanted` }
}

function listText(ids: readonly string[]): string {
  return `[${[...new Set(ids)].toSorted(compareText).join(' ')}]`
}
