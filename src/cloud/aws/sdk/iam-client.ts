import * as sdk from '@aws-sdk/client-iam'
import type { IAMClient } from '../clients.ts'
import { type Invoker, toCall } from './invoke.ts'
import type { ClientConfig } from './sdk-config.ts'

export function createIAMClient(invoker: Invoker, config: ClientConfig): IAMClient {
  const client = new sdk.IAMClient(config)
  const service = 'iam'
  return {
    getInstanceProfile: toCall(invoker, {
      service,
      action: 'GetInstanceProfile',
      send: (input: sdk.GetInstanceProfileRequest, { abortSignal }) =>
        client.send(new sdk.GetInstanceProfileCommand(input), { abortSignal }),
    }),
    createInstanceProfile: toCall(invoker, {
      service,
      action: 'CreateInstanceProfile',
      send: (input: sdk.CreateInstanceProfileRequest, { abortSignal }) =>
        client.send(new sdk.CreateInstanceProfileCommand(input), { abortSignal }),
    }),
    deleteInstanceProfile: toCall(invoker, {
      service,
      action: 'DeleteInstanceProfile',
      send: (input: sdk.DeleteInstanceProfileRequest, { abortSignal }) =>
        client.send(new sdk.DeleteInstanceProfileCommand(input), { abortSignal }),
    }),
    addRoleToInstanceProfile: toCall(invoker, {
      service,
      action: 'AddRoleToInstanceProfile',
      send: (input: sdk.AddRoleToInstanceProfileRequest, { abortSignal }) =>
        client.send(new sdk.AddRoleToInstanceProfileCommand(input), { abortSignal }),
    }),
    removeRoleFromInstanceProfile: toCall(invoker, {
      service,
      action: 'RemoveRoleFromInstanceProfile',
      send: (input: sdk.RemoveRoleFromInstanceProfileRequest, { abortSignal }) =>
        client.send(new sdk.RemoveRoleFromInstanceProfileCommand(input), { abortSignal }),
    }),
    listInstanceProfiles: toCall(invoker, {
      service,
      action: 'ListInstanceProfiles',
      send: (input: sdk.ListInstanceProfilesRequest, { abortSignal }) =>
        client.send(new sdk.ListInstanceProfilesCommand(input), { abortSignal }),
    }),
  }
}
