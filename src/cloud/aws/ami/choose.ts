import type { Image } from '@aws-sdk/client-ec2'
import { parseTimestamp } from '../../../model/clock.ts'
import { compareNumbers, compareText } from '../../../model/order.ts'
import type { RequirementEntry } from '../../../model/requirement.ts'
import { archKey } from '../keys.ts'
import type { StatusAMI } from '../wire.ts'
import type { RequirementSet } from './requirement-sets.ts'

export interface AMI {
  readonly id: string
  readonly name: string
  readonly ownerID: string
  /** Milliseconds since the epoch; −∞ when EC2 does not tell. */
  readonly createdAt: number
  readonly deprecated: boolean
  readonly requirements: RequirementSet
}

/** An image found, and which machines it is known to serve; none known: any of its architecture. */
export interface FoundImage {
  readonly image: Image
  readonly sets: readonly RequirementSet[]
}

const architectures: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' }

/** One AMI for each requirement set, newest first: the one not deprecated, then the newer, then the one with the larger name. */
export function chooseAMIs(found: readonly FoundImage[], now: number): AMI[] {
  const best = new Map<string, AMI>()
  for (const { image, sets } of found) {
    const arch = architectures[image.Architecture ?? '']
    if (arch === undefined) continue
    const archRequirement: RequirementEntry = { key: archKey, operator: 'In', values: [arch] }
    for (const set of sets.length === 0 ? [[]] : sets) {
      const ami = toAMI(image, [...set, archRequirement], now)
      const key = JSON.stringify(ami.requirements)
      const known = best.get(key)
      if (known === undefined || isBetter(ami, known)) best.set(key, ami)
    }
  }
  return [...best.values()].toSorted(
    (a, b) => compareNumbers(b.createdAt, a.createdAt) || compareText(a.id, b.id) || compareText(setKey(a), setKey(b)),
  )
}

export function toStatusAMI(ami: AMI): StatusAMI {
  return {
    id: ami.id,
    name: ami.name,
    ...(ami.deprecated ? { deprecated: true } : {}),
    requirements: ami.requirements.map(({ key, operator, values }) => ({
      key,
      operator,
      ...(values === undefined ? {} : { values: [...values] }),
    })),
  }
}

function toAMI(image: Image, requirements: RequirementSet, now: number): AMI {
  const deprecatedAt = parseTimestamp(image.DeprecationTime)
  return {
    id: image.ImageId ?? '',
    name: image.Name ?? '',
    ownerID: image.OwnerId ?? '',
    createdAt: parseTimestamp(image.CreationDate) ?? Number.NEGATIVE_INFINITY,
    deprecated: deprecatedAt !== undefined && deprecatedAt <= now,
    requirements: requirements.toSorted((a, b) => a.key.length - b.key.length || compareText(a.key, b.key)),
  }
}

function isBetter(candidate: AMI, known: AMI): boolean {
  if (candidate.deprecated !== known.deprecated) return known.deprecated
  if (candidate.createdAt !== known.createdAt) return candidate.createdAt > known.createdAt
  return candidate.name > known.name
}

function setKey(ami: AMI): string {
  return JSON.stringify(ami.requirements)
}
