import { secretMarker } from '../objects.ts'
import { minute } from '../world.ts'
import type { Look, Watcher } from './look.ts'

/** So many series of one family for each object: a label whose values never end has more. */
const seriesPerObjectMax = 400

/** I40: images come from owners that were named. I41: nothing that is logged, published or measured holds a secret or grows without end. */
export function secretWatcher(look: Look): Watcher {
  const spellings = [secretMarker, ...encodedSpellings(secretMarker)]
  let measuredAt = -Infinity

  function holdsSecret(text: string): boolean {
    return spellings.some((each) => text.includes(each))
  }

  async function measure(): Promise<void> {
    const { text } = await look.world.stack.metrics.render()
    if (holdsSecret(text)) look.report('I41', 'metrics', 'hold user data')
    const series = new Map<string, number>()
    for (const line of text.split('\n')) {
      if (line.startsWith('#') || line === '') continue
      const family = line.slice(0, line.search(/[{ ]/)).replace(/_(bucket|sum|count)$/, '')
      series.set(family, (series.get(family) ?? 0) + 1)
    }
    const objects = look.claims.length + look.nodes.length + look.pods.length + 100
    for (const [family, count] of series) {
      if (count > objects * seriesPerObjectMax) look.report('I41', family, `${count} series for ${objects} objects`)
    }
  }

  return {
    onCloudCall({ service, action, input }) {
      if (service !== 'ec2' || action !== 'DescribeImages' || !isRecord(input)) return
      const filters = Array.isArray(input['Filters']) ? input['Filters'] : []
      const byName = filters.some((filter: unknown) => isRecord(filter) && filter['Name'] === 'name')
      const owners = Array.isArray(input['Owners']) ? input['Owners'] : []
      if (byName && owners.length === 0) look.report('I40', 'DescribeImages', 'asks for names of any owner')
    },
    onClaim(_type, { metadata, status }) {
      if (status?.imageID === undefined || status.imageID === '') return
      const image = look.cluster.aws.state.images.find(({ id }) => id === status.imageID)
      const owners = new Set([look.cluster.aws.account.id, 'amazon'])
      if (image === undefined || image.state === 'deregistered') return
      if (!owners.has(image.ownerID) && image.ownerAlias !== 'amazon') {
        look.report('I40', metadata.name, `runs image ${image.id} of ${image.ownerID}`)
      }
    },
    onCall({ verb, resource, name = '', body }) {
      const says = verb === 'create' || verb === 'update' || verb === 'patch'
      if (says && resource.plural !== 'leases' && holdsSecret(JSON.stringify(body)))
        look.report('I41', `${resource.plural}/${name}`, 'the operator writes user data into it')
    },
    onLog(_line, text) {
      if (holdsSecret(text)) look.report('I41', 'log', 'a line holds user data')
    },
    tick() {
      if (look.elapsed - measuredAt < 60 * minute) return
      measuredAt = look.elapsed
      void measure()
    },
  }
}

/** What is left of it in base64, wherever in the encoded text it begins: whole groups of four characters, which only its own bytes make. */
function encodedSpellings(text: string): readonly string[] {
  return [0, 1, 2].map((skipped) => {
    const bytes = Buffer.from(text).subarray(skipped)
    return bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
  })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
