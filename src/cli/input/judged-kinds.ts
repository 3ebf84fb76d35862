import { planConversion, whyInconvertible } from '../../api/conversion/index.ts'
import { textOf } from '../../api/json.ts'
import { nearName } from './near-name.ts'

/** Kinds that `joinery validate` has a schema for. */
const judged = [
  'karpenter.sh/v1/NodePool',
  'karpenter.sh/v1/NodeClaim',
  'karpenter.sh/v1alpha1/NodeOverlay',
  'karpenter.k8s.aws/v1/EC2NodeClass',
  'autoscaling.x-k8s.io/v1beta1/CapacityBuffer',
  'joinery.dev/v1alpha1/RolloutPolicy',
]

interface Typed {
  readonly apiVersion?: unknown
  readonly kind?: unknown
}

export function isJudgedKind(object: Typed): boolean {
  return judged.includes(`${textOf(object.apiVersion)}/${textOf(object.kind)}`)
}

/** Groups whose every kind is ours: a version that we do not know is one that no API server serves any more. */
const ownGroups: ReadonlySet<string> = new Set(['karpenter.sh', 'karpenter.k8s.aws', 'joinery.dev'])
/** Read from files only, and never sent to an API server. */
const fileKind = 'joinery.dev/v1alpha1/InstanceTypeCatalog'
const readKinds: readonly string[] = [...judged, fileKind]
const ownKinds: ReadonlySet<string> = new Set(
  readKinds.map((one) => one.split('/')).flatMap(([group = '', , kind = '']) => (ownGroups.has(group) ? [kind] : [])),
)

/** What `kubectl apply` would refuse to send, and what mends it. */
export interface Unserved {
  /** In kubectl's words. */
  readonly message: string
  readonly fix: string | null
}

/** For an object that must be meant for our APIs, and is not of a kind that they have; undefined for others. */
export function unserved(object: Typed): Unserved | undefined {
  const [apiVersion, kind] = [textOf(object.apiVersion), textOf(object.kind)]
  const [group = ''] = apiVersion.split('/')
  if (isJudgedKind(object) || `${apiVersion}/${kind}` === fileKind) return undefined
  if (apiVersion === '' && ownKinds.has(kind)) return { message: 'apiVersion not set', fix: fixOfKind(kind) }
  if (!ownGroups.has(group)) return isMisspelt(group, kind) ? unmatched(object) : undefined
  if (kind === '') return { message: 'kind not set', fix: null }
  return unmatched(object)
}

/** Whether the group is ours but for a few letters, or one of Kubernetes' own, none of which has a kind of such a name. */
function isMisspelt(group: string, kind: string): boolean {
  const groups = readKinds.flatMap((one) => {
    const [own = '', , ofOwn] = one.split('/')
    return ofOwn === kind && ownGroups.has(own) ? [own] : []
  })
  return groups.length > 0 && (!group.includes('.') || nearName(group, groups) !== undefined)
}

/** The same for those that read what a manifest means: also for a kind of another group, in a version that may mean something else. */
export function unreadableKind(object: Typed): Unserved | undefined {
  return unserved(object) ?? (hasOtherVersion(object) ? unmatched(object) : undefined)
}

/** In one line. */
export function unservedText({ message, fix }: Unserved): string {
  return fix === null ? message : `${message}. ${fix}`
}

function hasOtherVersion(object: Typed): boolean {
  const [group = '', ...version] = textOf(object.apiVersion).split('/')
  const kind = textOf(object.kind)
  return (
    version.length > 0 &&
    !isJudgedKind(object) &&
    judged.some((one) => one.startsWith(`${group}/`) && one.endsWith(`/${kind}`))
  )
}

/** For what is written as an older version has it. */
export const runConvert = 'Run joinery convert on the file.'

function unmatched(object: Typed): Unserved {
  const [apiVersion, kind] = [textOf(object.apiVersion), textOf(object.kind)]
  const message = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`
  if (planConversion(object) !== undefined) return { message, fix: runConvert }
  const inconvertible = whyInconvertible(object)
  const sentence = inconvertible && `${inconvertible.charAt(0).toUpperCase()}${inconvertible.slice(1)}.`
  return { message, fix: fixOfKind(kind) ?? sentence ?? questionOfKind(kind) }
}

/** What to write for each kind, by its name in small letters. An EC2NodeClass goes by its short name, too. */
const writtenByName: ReadonlyMap<string, string> = new Map(
  readKinds.flatMap((one) => {
    const end = one.lastIndexOf('/')
    const kind = one.slice(end + 1)
    const written = `apiVersion: ${one.slice(0, end)} and kind: ${kind}`
    const small = kind.toLowerCase()
    return [small, small.replace(/^ec2/, '')].map((name) => [name, written] as const)
  }),
)

/** Where a kind is only written wrongly, or has another version. */
function fixOfKind(kind: string): string | null {
  const small = kind.toLowerCase()
  const meant = [small, small.replace(/s$/, ''), small.replace(/es$/, '')].find((name) => writtenByName.has(name))
  return meant === undefined ? null : `Write ${writtenByName.get(meant)}.`
}

/** Where it is misspelt. */
function questionOfKind(kind: string): string | null {
  const meant = nearName(kind, [...writtenByName.keys()])
  return meant === undefined ? null : `Did you mean ${writtenByName.get(meant)}?`
}
