import * as sdk from '@aws-sdk/client-iam'
import type { Call, IAMClient } from '../clients.ts'
import { observeAttempts } from './attempt-observer.ts'
import { type Invoker, toCall } from './invoke.ts'
import type { ClientConfig } from './sdk-config.ts'

type CommandClass<Input extends sdk.ServiceInputTypes, Output extends sdk.ServiceOutputTypes> = new (
  input: Input,
) => Parameters<typeof sdk.IAMClient.prototype.send<Input, Output>>[0]

export function createIAMClient(invoker: Invoker, config: ClientConfig): IAMClient {
  const service = 'iam'
  const client = new sdk.IAMClient(config)
  observeAttempts(client, service, invoker)
  const call = <Input extends sdk.ServiceInputTypes, Output extends sdk.ServiceOutputTypes>(
    action: string,
    Command: CommandClass<Input, Output>,
  ): Call<Input, Output> =>
    toCall(invoker, {
      service,
      action,
      send: (input, { abortSignal }) => client.send(new Command(input), { abortSignal }),
    })
  return {
    getInstanceProfile: call('GetInstanceProfile', sdk.GetInstanceProfileCommand),
    createInstanceProfile: call('CreateInstanceProfile', sdk.CreateInstanceProfileCommand),
    deleteInstanceProfile: call('DeleteInstanceProfile', sdk.DeleteInstanceProfileCommand),
    addRoleToInstanceProfile: call('AddRoleToInstanceProfile', sdk.AddRoleToInstanceProfileCommand),
    removeRoleFromInstanceProfile: call('RemoveRoleFromInstanceProfile', sdk.RemoveRoleFromInstanceProfileCommand),
    listInstanceProfiles: call('ListInstanceProfiles', sdk.ListInstanceProfilesCommand),
  }
}
