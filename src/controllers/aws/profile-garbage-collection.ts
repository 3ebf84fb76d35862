import { profilePath } from '../../cloud/aws/instance-profile/instance-profile-names.ts'
import { requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims } from '../../kube/karpenter-kinds.ts'
import { profilesInUse } from '../nodeclass/profiles-in-use.ts'
import { oneByOne } from '../one-by-one.ts'
import type { AWSControllerDeps } from './deps.ts'

const intervalMs = 30 * 60_000

/** Deletes instance profiles of the cluster that no class and no claim needs any more. */
export function profileGarbageCollector(
  deps: Pick<AWSControllerDeps, 'caches' | 'cloud' | 'clients' | 'settings'>,
): SingletonController {
  const classes = deps.caches.of(ec2NodeClasses)
  const claims = deps.caches.of(nodeClaims)
  return {
    name: 'instanceprofile.garbagecollection',
    async reconcile({ log }) {
      const { instanceProfiles } = deps.cloud
      const profiles = await instanceProfiles.list(profilePath(deps.clients.region, deps.settings.clusterName))
      const used = profilesInUse(classes.list(), claims.list())
      await oneByOne(profiles, async ({ InstanceProfileName: name }) => {
        if (name === undefined || used.has(name) || instanceProfiles.isProtected(name)) return
        await instanceProfiles.delete(name)
        log.debug({ 'instance-profile': name }, 'garbage collected instance profile')
      })
      return requeueAfter(intervalMs)
    },
  }
}
