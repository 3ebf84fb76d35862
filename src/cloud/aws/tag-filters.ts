import type { Filter } from '@aws-sdk/client-ec2'
import { compareText } from '../../model/order.ts'

/** EC2 filters for a selector term's tags; a value of `*` asks only for the key. EC2 combines filters with AND. */
export function tagFilters(tags: Readonly<Record<string, string>>): Filter[] {
  return Object.entries(tags)
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([key, value]) =>
      value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
    )
}
