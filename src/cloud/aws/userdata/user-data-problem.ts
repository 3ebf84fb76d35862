import type { AMIFamilyName } from '../../../api/ami-family.ts'
import { requireFit, UserDataError } from './inputs.ts'
import { renderUserData } from './user-data.ts'

/**
 * Why user data of a class cannot be merged with what its family generates, or is too large together with the least of it; undefined when
 * neither is so. The cluster and the node that the rest of the document speaks of have no part in it.
 */
export function userDataProblem(userData: string, family: AMIFamilyName): string | undefined {
  try {
    const rendered = renderUserData({
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
    requireFit(rendered)
    return undefined
  } catch (error) {
    if (error instanceof UserDataError) return error.message
    throw error
  }
}
