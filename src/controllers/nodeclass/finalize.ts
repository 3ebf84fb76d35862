import type { EC2NodeClass } from '../../api/karpenter.ts'
import { clusterOwnedTagKey, finalizerEC2NodeClass, tagClusterOwnedValue } from '../../api/labels.ts'
import { legacyProfileName, profilePath } from '../../cloud/aws/instance-profile/instance-profile-names.ts'
import { specOf } from '../../cloud/aws/wire.ts'
import { done, type ReconcileResult, requeueAfter } from '../../kube/controller.ts'
import { ec2NodeClasses } from '../../kube/karpenter-kinds.ts'
import { compareText } from '../../model/order.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { claimsByClass, type NodeClassDeps } from './deps.ts'
import { minute } from './draft.ts'

const namesShown = 5
const recheckMs = 10 * minute

/** Takes away what was made for a class, once no claim refers to it, and lets it go. */
export function classFinalizer(
  deps: NodeClassDeps,
  forget: (name: string) => void,
): (nodeClass: EC2NodeClass) => Promise<ReconcileResult> {
  const claims = claimsByClass(deps.caches)
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
        message: `Waiting on NodeClaim termination for ${namesText(names)}`,
        dedupeValues: [nodeClass.metadata.uid],
      })
      return requeueAfter(recheckMs)
    }
    if (!deps.settings.isolatedVPC) await deleteProfiles(deps, nodeClass)
    await deps.cloud.launchTemplates.deleteAll(nodeClass)
    const result = await removeFinalizer(deps, nodeClass)
    forget(nodeClass.metadata.name)
    return result
  }
}

export function namesText(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).join(', ')
  return names.length > namesShown ? `${shown} and ${names.length - namesShown} other(s)` : shown
}

async function deleteProfiles({ cloud, clients, settings }: NodeClassDeps, nodeClass: EC2NodeClass): Promise<void> {
  const { instanceProfiles } = cloud
  const { uid, name } = nodeClass.metadata
  // A profile that the user made is never ours to delete, wherever it lies.
  const given = specOf(nodeClass).instanceProfile
  for (const profile of await instanceProfiles.list(profilePath(clients.region, settings.clusterName, uid))) {
    const profileName = profile.InstanceProfileName ?? ''
    if (profileName !== given) await instanceProfiles.delete(profileName)
  }
  const legacy = legacyProfileName(settings.clusterName, clients.region, name)
  if (legacy === undefined || legacy === given) return
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
