import type { EC2NodeClass } from '../../api/karpenter.ts'
import { clusterOwnedTagKey, finalizerEC2NodeClass, tagClusterOwnedValue } from '../../api/labels.ts'
import { legacyProfileName, profilePath } from '../../cloud/aws/instance-profile/instance-profile-names.ts'
import { specOf } from '../../cloud/aws/wire.ts'
import { done, type ReconcileResult, requeueAfter } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import { listText } from '../../model/list-text.ts'
import { compareText } from '../../model/order.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { claimsByClass, type NodeClassDeps } from './deps.ts'
import { minute } from './draft.ts'
import { profilesInUse } from './profiles-in-use.ts'

const recheckMs = 10 * minute

/** Takes away what was made for a class, once no claim refers to it, and lets it go. */
export function classFinalizer(
  deps: NodeClassDeps,
  forget: (name: string) => void,
): (nodeClass: EC2NodeClass) => Promise<ReconcileResult> {
  const claims = claimsByClass(deps.caches)
  const allClaims = deps.caches.of(nodeClaims)
  const classes = deps.caches.of(ec2NodeClasses)
  return async (nodeClass) => {
    if (!(nodeClass.metadata.finalizers ?? []).includes(finalizerEC2NodeClass)) return done
    const names = claims
      .of(nodeClass)
      .map((claim) => claim.metadata.name)
      .toSorted(compareText)
    if (names.length > 0) {
      deps.recorder.publish({
        object: nodeClass,
        type: 'Normal',
        reason: 'WaitingOnNodeClaimTermination',
        message: `Waiting on NodeClaim termination for ${listText(names)}`,
        dedupeValues: [nodeClass.metadata.uid],
      })
      return requeueAfter(recheckMs)
    }
    if (!deps.settings.isolatedVPC) {
      const others = classes.list().filter(({ metadata }) => metadata.uid !== nodeClass.metadata.uid)
      await deleteProfiles(deps, nodeClass, profilesInUse(others, allClaims.list()))
    }
    await deps.cloud.launchTemplates.deleteAll(nodeClass)
    const result = await removeFinalizer(deps, nodeClass)
    forget(nodeClass.metadata.name)
    return result
  }
}

/** Those that others use stay, wherever they lie; garbage collection takes them once nobody does. `others` are names. */
async function deleteProfiles(
  { cloud, clients, settings }: NodeClassDeps,
  nodeClass: EC2NodeClass,
  others: ReadonlySet<string>,
): Promise<void> {
  const { instanceProfiles } = cloud
  const { uid, name } = nodeClass.metadata
  // A profile that the user made is never ours to delete, wherever it lies.
  const given = specOf(nodeClass).instanceProfile
  const isKept = (profile: string): boolean => profile === given || others.has(profile)
  for (const profile of await instanceProfiles.list(profilePath(clients.region, settings.clusterName, uid))) {
    const profileName = profile.InstanceProfileName ?? ''
    if (!isKept(profileName)) await instanceProfiles.delete(profileName)
  }
  const legacy = legacyProfileName(settings.clusterName, clients.region, name)
  if (legacy === undefined || isKept(legacy)) return
  const tags = (await instanceProfiles.get(legacy))?.Tags ?? []
  const owned = tags.some(
    (tag) => tag.Key === clusterOwnedTagKey(settings.clusterName) && tag.Value === tagClusterOwnedValue,
  )
  if (owned) await instanceProfiles.delete(legacy)
}

async function removeFinalizer({ kube }: NodeClassDeps, nodeClass: EC2NodeClass): Promise<ReconcileResult> {
  const { name, resourceVersion, finalizers = [] } = nodeClass.metadata
  const body = {
    metadata: { resourceVersion, finalizers: finalizers.filter((finalizer) => finalizer !== finalizerEC2NodeClass) },
  }
  return unlessRaceIsLost(async () => {
    await kube.patch(ec2NodeClasses, { name }, { kind: 'merge', body })
    return done
  })
}
