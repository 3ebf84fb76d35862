import { assertNever } from '../../../model/order.ts'
import { al2UserData } from './al2.ts'
import { al2023UserData } from './al2023.ts'
import { bottlerocketUserData } from './bottlerocket.ts'
import type { UserDataInputs } from './inputs.ts'
import { windowsUserData } from './windows.ts'

/**
 * The script or configuration a node boots with, as text.
 * @throws UserDataError
 */
export function renderUserData(inputs: UserDataInputs): string {
  switch (inputs.family) {
    case 'AL2':
      return al2UserData(inputs)
    case 'AL2023':
      return al2023UserData(inputs)
    case 'Bottlerocket':
      return bottlerocketUserData(inputs)
    case 'Windows2019':
    case 'Windows2022':
    case 'Windows2025':
      return windowsUserData(inputs)
    case 'Custom':
      return inputs.customUserData ?? ''
    default:
      return assertNever(inputs.family)
  }
}
