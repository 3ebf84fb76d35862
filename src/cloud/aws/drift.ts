import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import {
  compareHash,
  ec2NodeClassHashAnnotations,
  type HashRecord,
  hashesDiffer,
  type ImageIdentity,
  recordedChanges,
  recordOf,
} from '../../api/hash/index.ts'
import { compareText } from '../../model/order.ts'
import type { DriftFinding } from '../../model/drift-finding.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { amiFor } from './ami/map-types.ts'
import type { EC2Instance } from './instance/ec2-instance.ts'
import { instanceTypeKey, placementGroupIDKey } from './keys.ts'

export interface DriftInputs {
  readonly nodeClaim: NodeClaim
  readonly nodeClass: EC2NodeClass
  readonly instance: EC2Instance
  /** The claim's type as the class sees it now. */
  readonly type: InstanceType | undefined
  readonly placementGroupID: string
  identify(imageID: string): Promise<ImageIdentity>
  /** Whether the instance's reservation, which the status does not name, still belongs to the class by a fresh look at EC2. */
  reservationSelected(id: string): Promise<boolean>
}

/** The class's status does not say enough to judge. */
class DriftError extends Error {
  readonly code = 'Drift'
  override readonly name = 'DriftError'
}

/** What a class's hash is now, of which version, and what it is made of. */
interface ClassHash {
  readonly version: string
  of(nodeClass: EC2NodeClass): string
  inputOf(nodeClass: EC2NodeClass): HashRecord['input']
}

/**
 * From the annotations and the class's spec alone, before any look at EC2. The class's stamp comes a moment after its edit: a claim that is
 * what the spec asks for now does not drift meanwhile.
 */
export function staticDrift(nodeClaim: NodeClaim, nodeClass: EC2NodeClass, hash: ClassHash): DriftFinding | undefined {
  if (!hashesDiffer(nodeClass, nodeClaim, ec2NodeClassHashAnnotations)) return undefined
  const present = { hash: hash.of(nodeClass), version: hash.version }
  if (compareHash(nodeClaim, present, ec2NodeClassHashAnnotations) === 'same') return undefined
  const record = recordOf(nodeClaim, ec2NodeClassHashAnnotations)
  const { generation } = nodeClass.metadata
  return {
    reason: 'NodeClassDrift',
    ...recordedChanges(record, hash.inputOf(nodeClass)),
    ...(generation === undefined ? {} : { generation }),
  }
}

/**
 * What differs between an instance and what its class would launch now; the first finding wins, but everything is looked at first, so
 * that what cannot be judged is told.
 * @throws DriftError
 */
export async function dynamicDrift(inputs: DriftInputs): Promise<DriftFinding | undefined> {
  const ami = await amiDrift(inputs)
  if (ami !== undefined) return ami
  const securityGroups = securityGroupDrift(inputs)
  const subnet = subnetDrift(inputs)
  const reservation = await reservationDrift(inputs)
  const placementGroup = placementGroupDrift(inputs)
  return securityGroups ?? subnet ?? reservation ?? placementGroup
}

async function amiDrift({ nodeClaim, nodeClass, type, identify }: DriftInputs): Promise<DriftFinding | undefined> {
  const name = nodeClaim.metadata.labels?.[instanceTypeKey] ?? ''
  if (type === undefined) throw new DriftError(`finding node instance type ${JSON.stringify(name)}`)
  const amis = nodeClass.status?.amis ?? []
  if (amis.length === 0) throw new DriftError('no amis exist given constraints')
  const imageID = nodeClaim.status?.imageID ?? ''
  if (imageID === '') throw new DriftError('no imageID in the status of the nodeclaim')
  const wanted = amiFor(type, amis)
  if (wanted?.id === imageID) return undefined
  const launched = recordOf(nodeClaim, ec2NodeClassHashAnnotations)?.image
  const running = launched?.id === imageID && launched.name !== undefined ? launched : await identify(imageID)
  const target =
    wanted === undefined
      ? `none for ${name}`
      : imageText({ ...(wanted.name === undefined ? {} : { name: wanted.name }), ...(await identify(wanted.id)) })
  return { reason: 'AMIDrift', fields: [{ path: 'status.amis', old: imageText(running), new: target }] }
}

function securityGroupDrift({ nodeClass, instance }: DriftInputs): DriftFinding | undefined {
  const wanted = nodeClass.status?.securityGroups ?? []
  if (wanted.length === 0) throw new DriftError('no security groups are present in the status')
  const names = new Map(wanted.map(({ id, name }) => [id, name]))
  const text = (ids: readonly string[]): readonly string[] => sortedIDs(ids).map((id) => namedText(id, names.get(id)))
  const [have, want] = [sortedIDs(instance.securityGroupIDs), sortedIDs([...names.keys()])]
  return have.join(' ') === want.join(' ')
    ? undefined
    : { reason: 'SecurityGroupDrift', fields: [{ path: 'status.securityGroups', old: text(have), new: text(want) }] }
}

function subnetDrift({ nodeClass, instance }: DriftInputs): DriftFinding | undefined {
  const wanted = (nodeClass.status?.subnets ?? []).map((subnet) => subnet.id)
  if (wanted.length === 0) throw new DriftError('no subnets are present in the status')
  return wanted.includes(instance.subnetID)
    ? undefined
    : {
        reason: 'SubnetDrift',
        fields: [{ path: 'status.subnets', old: instance.subnetID, new: `one of ${sortedIDs(wanted).join(' ')}` }],
      }
}

async function reservationDrift(inputs: DriftInputs): Promise<DriftFinding | undefined> {
  const id = inputs.instance.reservation?.id
  if (id === undefined) return undefined
  const selected = (inputs.nodeClass.status?.capacityReservations ?? []).map((it) => it.id)
  if (selected.includes(id)) return undefined
  if (await inputs.reservationSelected(id)) return undefined
  const wanted = selected.length === 0 ? undefined : `one of ${sortedIDs(selected).join(' ')}`
  return { reason: 'CapacityReservationDrift', fields: [{ path: 'status.capacityReservations', old: id, new: wanted }] }
}

function placementGroupDrift({ nodeClaim, placementGroupID }: DriftInputs): DriftFinding | undefined {
  const have = nodeClaim.metadata.labels?.[placementGroupIDKey] ?? ''
  if (have === placementGroupID) return undefined
  const [old, wanted] = [have, placementGroupID].map((id) => (id === '' ? undefined : id))
  return { reason: 'PlacementGroupDrift', fields: [{ path: 'spec.placementGroupSelector', old, new: wanted }] }
}

function imageText({ id, name, creationDate }: ImageIdentity): string {
  const facts = [...(name === undefined ? [] : [name]), ...(creationDate === undefined ? [] : [`of ${creationDate}`])]
  return facts.length === 0 ? id : `${id} (${facts.join(' ')})`
}

function namedText(id: string, name: string | undefined): string {
  return name === undefined ? id : `${id} (${name})`
}

function sortedIDs(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].toSorted(compareText)
}
