import { fnv1 } from '../../../api/hash/index.ts'
import { hash64 } from '../canonical.ts'

/** What IAM takes as a profile's name. */
const profileNamePattern = /^[\w+=,.@-]{1,128}$/

/** Profiles of one class live under a path of their own, by which they are found again. */
export function profilePath(region: string, clusterName: string, nodeClassUID?: string): string {
  const base = `/karpenter/${region}/${clusterName}/`
  return nodeClassUID === undefined ? base : `${base}${nodeClassUID}/`
}

/** A name that no earlier profile of the class had: a role's change takes a new profile, so that running instances keep theirs. */
export function newProfileName(clusterName: string, region: string, nodeClassName: string, unique: string): string {
  return `${clusterName}_${hash64(`${region}${nodeClassName}${unique}`)}`
}

/** The name that profiles had before they got a path; undefined when IAM would not take it. */
export function legacyProfileName(clusterName: string, region: string, nodeClassName: string): string | undefined {
  const name = `${clusterName}_${fnv1(Buffer.from(`${region}${nodeClassName}`, 'utf8'))}`
  return profileNamePattern.test(name) ? name : undefined
}
