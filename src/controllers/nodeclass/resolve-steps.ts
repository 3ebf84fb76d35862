import { UnsupportedAliasError } from '../../cloud/aws/ami/ami-provider.ts'
import { toStatusReservation } from '../../cloud/aws/capacity-reservation/reservations.ts'
import { causeChainText } from '../../cloud/aws/errors.ts'
import {
  placementGroupNotFound,
  placementGroupUnresolved,
} from '../../cloud/aws/placement-group/placement-group-provider.ts'
import { toStatusSecurityGroup } from '../../cloud/aws/security-group/security-group-provider.ts'
import { toStatusSubnet } from '../../cloud/aws/subnet/subnet-provider.ts'
import { specOf } from '../../cloud/aws/wire.ts'
import { TerminalError } from '../../kube/controller.ts'
import type { Logger } from '../../kube/logger.ts'
import type { NodeClassDeps } from './deps.ts'
import { again, minute, type Step } from './draft.ts'
import { chooseImages } from './images.ts'

/** Reason of a condition. */
export const unsupportedAlias = 'UnsupportedAlias'

type ResolveDeps = Pick<NodeClassDeps, 'cloud' | 'clock'> & { readonly log: Logger }

export function amiStep({ cloud, clock }: ResolveDeps): Step {
  return {
    name: 'ami',
    condition: 'AMIsReady',
    async run(draft) {
      let amis: Awaited<ReturnType<typeof cloud.amis.list>>
      try {
        amis = await cloud.amis.list(draft.current)
      } catch (error) {
        if (!(error instanceof UnsupportedAliasError)) throw error
        draft.conditions.set('AMIsReady', 'False', unsupportedAlias, error.message)
        throw new TerminalError(error.message, { cause: error })
      }
      if (amis.length === 0) {
        draft.set({ amis: undefined })
        draft.conditions.set('AMIsReady', 'False', 'AMINotFound', 'AMISelector did not match any AMIs')
        return again(minute)
      }
      draft.set(await chooseImages(amis, draft.current, { cloud, now: clock.now() }))
      draft.conditions.setTrue('AMIsReady')
      return again(5 * minute)
    },
  }
}

export function reservationStep({ cloud, clock, log }: ResolveDeps): Step {
  return {
    name: 'capacityreservation',
    condition: 'CapacityReservationsReady',
    async run(draft) {
      const terms = specOf(draft.current).capacityReservationSelectorTerms ?? []
      const found = terms.length === 0 ? [] : await cloud.reservations.list(terms)
      const now = clock.now()
      const statuses = found.flatMap((reservation) => {
        const status = toStatusReservation(reservation, now)
        if (status === undefined) {
          log.error({ id: reservation.CapacityReservationId }, 'ignoring capacity reservation of an unknown kind')
        }
        return status ?? []
      })
      draft.set({ capacityReservations: statuses.length === 0 ? undefined : statuses })
      draft.conditions.setTrue('CapacityReservationsReady')
      const ends = found.flatMap((reservation) => reservation.EndDate?.getTime() ?? [])
      const untilEnd = Math.min(...ends.map((end) => Math.max(0, end - now)), minute)
      // A zero delay would not requeue at all.
      return again(Math.max(1, untilEnd))
    },
  }
}

export function placementGroupStep({ cloud }: ResolveDeps): Step {
  return {
    name: 'placementgroup',
    condition: 'PlacementGroupReady',
    async run(draft) {
      const selector = specOf(draft.current).placementGroupSelector
      if (selector === undefined) {
        draft.conditions.setTrue('PlacementGroupReady')
        return { kind: 'done' }
      }
      let group: Awaited<ReturnType<typeof cloud.placementGroups.resolve>>
      try {
        group = await cloud.placementGroups.resolve(draft.current)
      } catch (error) {
        const { reason, message } = placementGroupUnresolved
        draft.conditions.set('PlacementGroupReady', 'False', reason, message)
        throw new Error(`resolving placement group, ${causeChainText(error)}`, { cause: error })
      }
      if (group === undefined) {
        const message = placementGroupNotFound(selector)
        draft.conditions.set('PlacementGroupReady', 'False', 'PlacementGroupNotFound', message)
      } else draft.conditions.setTrue('PlacementGroupReady')
      return { kind: 'done' }
    },
  }
}

export function subnetStep({ cloud }: ResolveDeps): Step {
  return {
    name: 'subnet',
    condition: 'SubnetsReady',
    async run(draft) {
      const subnets = await cloud.subnets.list(draft.current)
      if (subnets.length === 0) {
        draft.set({ subnets: undefined })
        draft.conditions.set('SubnetsReady', 'False', 'SubnetsNotFound', 'SubnetSelector did not match any Subnets')
      } else {
        draft.set({ subnets: subnets.map(toStatusSubnet) })
        draft.conditions.setTrue('SubnetsReady')
      }
      return again(minute)
    },
  }
}

export function securityGroupStep({ cloud }: ResolveDeps): Step {
  return {
    name: 'securitygroup',
    condition: 'SecurityGroupsReady',
    async run(draft) {
      const groups = await cloud.securityGroups.list(draft.current)
      if (groups.length === 0) {
        draft.set({ securityGroups: undefined })
        draft.conditions.set(
          'SecurityGroupsReady',
          'False',
          'SecurityGroupsNotFound',
          'SecurityGroupSelector did not match any SecurityGroups',
        )
        return again(minute)
      }
      draft.set({ securityGroups: groups.map(toStatusSecurityGroup) })
      draft.conditions.setTrue('SecurityGroupsReady')
      return again(5 * minute)
    },
  }
}

export function instanceProfileStep({ cloud }: ResolveDeps): Step {
  return {
    name: 'instanceprofile',
    condition: 'InstanceProfileReady',
    async run(draft) {
      draft.set({ instanceProfile: await cloud.instanceProfiles.ensure(draft.current) })
      draft.conditions.setTrue('InstanceProfileReady')
      return { kind: 'done' }
    },
  }
}
