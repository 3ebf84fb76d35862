import type { FamilyName } from '../ami/family.ts'
import { UserDataError } from './inputs.ts'
import { renderUserData } from './user-data.ts'

/**
 * Why user data of a class cannot be merged with what its family generates; undefined when it can. The cluster and the node that
 * the rest of the document speaks of have no part in it.
 */
export function userDataProblem(userData: string, family: FamilyName): string | undefined {
  try {
    renderUserData({
      family,
      clusterName: 'cluster',
      clusterEndpoint: 'https://cluster.example',
      caBundle: '',
      clusterCIDR: '10.0.0.0/16',
      kubelet: {},
      rawKubelet: {},
      taints: [],
      labels: {},
      customUserData: userData,
      raid0: false,
      bindsDirectoriesItself: false,
    })
    return undefined
  } catch (error) {
    if (error instanceof UserDataError) return error.message
    throw error
  }
}
