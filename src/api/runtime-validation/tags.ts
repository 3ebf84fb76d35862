import { tagEC2NodeClass, tagEKSClusterName, tagNodeClaim, tagNodePool } from '../labels.ts'

const clusterTag = /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/
const restricted: ReadonlySet<string> = new Set([tagNodePool, tagEKSClusterName, tagEC2NodeClass, tagNodeClaim])

/** Tags that only the controller may set, sorted. (The schema is stricter about kubernetes.io/cluster.) */
export function restrictedTagKeys(tags: Readonly<Record<string, string>>): string[] {
  return Object.keys(tags)
    .filter((key) => clusterTag.test(key) || restricted.has(key))
    .sort()
}

/** What reason TagValidationFailed says; undefined when the tags are fine. */
export function tagsErrorMessage(tags: Readonly<Record<string, string>>): string | undefined {
  const keys = restrictedTagKeys(tags)
  return keys.length === 0
    ? undefined
    : `tags failed validation requirements, ${keys.map((key) => JSON.stringify(key)).join(', ')}`
}
