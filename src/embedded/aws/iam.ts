import type * as iam from '@aws-sdk/client-iam'
import type { IAMClient } from '../../cloud/aws/clients.ts'
import type { Account } from './account.ts'
import { AWSError } from './errors.ts'
import { fromTags, page, toTags } from './filters.ts'
import type { Handlers } from './service.ts'
import type { InstanceProfileRecord } from './state.ts'

function refuse(name: string, code: string, message: string, status = 400): AWSError {
  return new AWSError(name, message, { service: 'IAM', code, status })
}

const noSuchEntity = (message: string) => refuse('NoSuchEntityException', 'NoSuchEntity', message, 404)

export function iamHandlers(account: Account): Handlers<IAMClient> {
  const find = (name: string | undefined): InstanceProfileRecord => {
    const found = account.state.instanceProfiles.find((profile) => profile.name === name)
    if (found === undefined) throw noSuchEntity(`Instance Profile ${name} cannot be found.`)
    return found
  }
  const toProfile = (profile: InstanceProfileRecord): iam.InstanceProfile => ({
    InstanceProfileName: profile.name,
    InstanceProfileId: `AIPA${profile.name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`.slice(0, 21),
    Arn: account.arn('iam', `instance-profile${profile.path}${profile.name}`),
    Path: profile.path,
    CreateDate: new Date(profile.createdAt),
    Roles: profile.roles.map((name) => ({
      RoleName: name,
      RoleId: `AROA${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`.slice(0, 21),
      Path: '/',
      Arn: account.arn('iam', `role/${name}`),
      CreateDate: new Date(profile.createdAt),
    })),
    Tags: toTags(profile.tags).map(({ Key, Value }) => ({ Key: Key ?? '', Value: Value ?? '' })),
  })
  return {
    getInstanceProfile: (input) => ({ InstanceProfile: toProfile(find(input.InstanceProfileName)) }),
    createInstanceProfile: (input) => {
      const name = input.InstanceProfileName ?? ''
      if (account.state.instanceProfiles.some((profile) => profile.name === name)) {
        throw refuse(
          'EntityAlreadyExistsException',
          'EntityAlreadyExists',
          `Instance Profile ${name} already exists.`,
          409,
        )
      }
      const profile: InstanceProfileRecord = {
        name,
        path: input.Path ?? '/',
        roles: [],
        tags: fromTags(input.Tags),
        createdAt: account.clock.now(),
      }
      account.state.instanceProfiles.push(profile)
      return { InstanceProfile: toProfile(profile) }
    },
    deleteInstanceProfile: (input) => {
      const profile = find(input.InstanceProfileName)
      if (profile.roles.length > 0) {
        throw refuse(
          'DeleteConflictException',
          'DeleteConflict',
          'Cannot delete entity, must remove roles from instance profile first.',
          409,
        )
      }
      account.state.instanceProfiles = account.state.instanceProfiles.filter((other) => other !== profile)
      return {}
    },
    addRoleToInstanceProfile: (input) => {
      const profile = find(input.InstanceProfileName)
      const role = input.RoleName ?? ''
      if (!account.state.roles.includes(role)) throw noSuchEntity(`The role with name ${role} cannot be found.`)
      if (profile.roles.length > 0) {
        throw refuse(
          'LimitExceededException',
          'LimitExceeded',
          'Cannot exceed quota for InstanceSessionsPerInstanceProfile: 1',
          409,
        )
      }
      profile.roles.push(role)
      return {}
    },
    removeRoleFromInstanceProfile: (input) => {
      const profile = find(input.InstanceProfileName)
      const role = input.RoleName ?? ''
      if (!profile.roles.includes(role)) throw noSuchEntity(`The role with name ${role} cannot be found.`)
      profile.roles = profile.roles.filter((name) => name !== role)
      return {}
    },
    listInstanceProfiles: (input) => {
      const found = account.state.instanceProfiles.filter(({ path }) => path.startsWith(input.PathPrefix ?? '/'))
      const { items, next } = page(found, input.MaxItems ?? 100, input.Marker)
      return {
        // As IAM does, lists carry no tags.
        InstanceProfiles: items.map((profile) => ({ ...toProfile(profile), Tags: [] })),
        IsTruncated: next !== undefined,
        ...(next === undefined ? {} : { Marker: next }),
      }
    },
  }
}
