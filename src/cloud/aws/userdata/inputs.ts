import type { Taint } from '../../../api/kubernetes.ts'
import type { AMIFamilyName } from '../../../api/ami-family.ts'
import type { ManagedKubelet, RawKubelet } from '../kubelet/managed-kubelet.ts'

/** All that goes into a node's user data. */
export interface UserDataInputs {
  readonly family: AMIFamilyName
  readonly clusterName: string
  readonly clusterEndpoint: string
  /** Base64; empty when unknown. */
  readonly caBundle: string
  /** Service network; only AL2023 needs it. */
  readonly clusterCIDR: string | undefined
  readonly kubelet: ManagedKubelet
  /** The whole kubelet document, with the same values resolved. */
  readonly rawKubelet: RawKubelet
  readonly taints: readonly Taint[]
  readonly labels: Readonly<Record<string, string>>
  readonly customUserData: string | undefined
  readonly raid0: boolean
  /** Whether the image is a Bottlerocket that finds the directories to bind by itself. */
  readonly bindsDirectoriesItself: boolean
}

/** The class's own user data, or a value for the node, cannot be put into the form its AMI family reads. */
export class UserDataError extends Error {
  readonly code = 'UserData'
  constructor(message: string) {
    super(message)
    this.name = 'UserDataError'
  }
}

/** Of the text as the node gets it, before it is base64-encoded. */
const bytesMax = 16_384

/** In EC2's words, so that it is told and counted as if EC2 had been asked. */
export class UserDataTooLargeError extends UserDataError {
  constructor(bytes: number) {
    super(`User data is limited to ${bytesMax} bytes, this takes ${bytes}`)
    this.name = 'UserDataTooLargeError'
  }
}

/** @throws UserDataTooLargeError */
export function requireFit(text: string): void {
  const bytes = Buffer.byteLength(text)
  if (bytes > bytesMax) throw new UserDataTooLargeError(bytes)
}
