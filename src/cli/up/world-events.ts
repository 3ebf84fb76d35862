import { messageOf } from '../../api/error-text.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { KubeObject, Node } from '../../api/kubernetes.ts'
import type { Interruption } from '../../embedded/aws/notices.ts'
import { shaped } from '../../embedded/apiserver/object.ts'
import type { StoreEvent } from '../../embedded/apiserver/store.ts'
import type { NodeBehaviour } from '../../embedded/kubelet/behaviour.ts'
import type { Stack } from '../embedded/stack.ts'

/** On a Node: what AWS announces about its instance. */
export const interruptAnnotation = 'embedded.joinery.dev/interrupt'
/** On a Node: what its machine suffers from; taken away again, it is well. */
export const faultAnnotation = 'embedded.joinery.dev/fault'
/** On the Namespace kube-system: an AL2023 image of this version appears; with `broken:` before it, its nodes never become ready. */
export const publishImageAnnotation = 'embedded.joinery.dev/publish-image'

const interruptions: Readonly<Record<string, Interruption>> = {
  spot: 'spot',
  rebalance: 'rebalance',
  'scheduled-change': 'scheduledChange',
  'capacity-reservation': 'capacityReservation',
}

const faults: Readonly<Record<string, Partial<NodeBehaviour>>> = {
  'not-ready': { healthy: false },
  silent: { responds: false },
  'storage-not-ready': { conditions: { StorageReady: 'False' } },
}

/** A kubelet that answers, and nothing to complain of. */
const well: Partial<NodeBehaviour> = { healthy: true, responds: true, conditions: { StorageReady: 'True' } }

/**
 * Lets somebody who has nothing but kubectl make the world of `joinery up` act: annotations on its objects are what AWS or a machine
 * does. Each new value acts once, whichever operator runs: what a saved cluster was asked for before has been done, and is part of what was
 * saved. One that means nothing is told through `say`. Returns how to stop.
 */
export function followWorldEvents(stack: Stack, say: (text: string) => void): () => void {
  const { aws, behaviours, apiServer } = stack.cluster
  const { store } = apiServer.context

  const onNode = (before: Node | undefined, after: Node): void => {
    const instance = (after.spec.providerID ?? '').split('/').at(-1) ?? ''
    const name = after.metadata.name
    const changed = (key: string): string | undefined => {
      const value = after.metadata.annotations?.[key]
      return value === before?.metadata.annotations?.[key] ? undefined : (value ?? '')
    }
    const kind = changed(interruptAnnotation)
    if (kind !== undefined && kind !== '') {
      const interruption = interruptions[kind]
      if (interruption === undefined) say(unknown(`${interruptAnnotation} of node ${name}`, kind, interruptions))
      else attempt(() => aws.interrupt(instance, interruption))
    }
    const fault = changed(faultAnnotation)
    if (fault === undefined) return
    const behaviour = fault === '' ? well : faults[fault]
    if (behaviour === undefined) say(unknown(`${faultAnnotation} of node ${name}`, fault, faults))
    else {
      // Another fault takes the place of the one before.
      const isOther = (before?.metadata.annotations?.[faultAnnotation] ?? '') !== ''
      behaviours.setInstance(instance, isOther ? { ...well, ...behaviour } : behaviour)
    }
  }

  const onKubeSystem = (value: string | undefined): void => {
    if (value === undefined || value === '') return
    const [, broken, version] = /^(broken:)?(v[0-9]{8})$/.exec(value) ?? []
    if (version === undefined) {
      say(
        `${publishImageAnnotation} of namespace kube-system: expected v and eight digits, got ${JSON.stringify(value)}`,
      )
      return
    }
    if (aws.account.state.images.some(({ name }) => name.includes('-al2023-') && name.endsWith(`-${version}`))) {
      say(`AL2023 ${version} is published already: take another version`)
      return
    }
    attempt(() => {
      const images = aws.publishImage('al2023', { version })
      // `@latest` is looked up once a day: nobody who has just published an image wants to wait for that.
      stack.operator.forgetParameters()
      if (broken !== undefined) for (const { id } of images) behaviours.setImage(id, { becomesReady: false })
      say(
        `published AL2023 ${version}: ${images.map(({ id }) => id).join(', ')}${broken === undefined ? '' : ' (broken)'}; EC2NodeClasses look within five minutes`,
      )
    })
  }

  const attempt = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      say(messageOf(error))
    }
  }

  const unsubscribe = [
    store.subscribe('/nodes', (event) => {
      afterwards(event, onNode)
    }),
    store.subscribe('/namespaces', (event) => {
      afterwards(event, (before, after) => {
        const value = newValue(publishImageAnnotation, before, after)
        if (after.metadata.name === 'kube-system') onKubeSystem(value)
        else if (value !== undefined) say(elsewhere(publishImageAnnotation, after, 'namespace kube-system'))
      })
    }),
    // Claims are what somebody who looks for machines finds first.
    store.subscribe('karpenter.sh/nodeclaims', (event) => {
      afterwards<NodeClaim>(event, (before, after) => {
        for (const key of [interruptAnnotation, faultAnnotation]) {
          if (newValue(key, before, after) === undefined) continue
          const { nodeName } = after.status ?? {}
          say(elsewhere(key, after, nodeName === undefined ? 'its node, once there is one' : `node ${nodeName}`))
        }
      })
    }),
  ]
  return () => {
    for (const stop of unsubscribe) stop()
  }
}

/** Not in the middle of the write that tells of it. */
function afterwards<T extends KubeObject>(
  { type, object, previous }: StoreEvent,
  act: (before: T | undefined, after: T) => void,
): void {
  if (type === 'DELETED') return
  queueMicrotask(() => {
    act(previous === undefined ? undefined : shaped<T>(previous), shaped<T>(object))
  })
}

/** Of an annotation that has just been written; taking one away asks for nothing. */
function newValue(key: string, before: KubeObject | undefined, after: KubeObject): string | undefined {
  const [was, is] = [before, after].map((object) => object?.metadata.annotations?.[key])
  return is === was || is === '' ? undefined : is
}

function elsewhere(key: string, { kind, metadata }: KubeObject, place: string): string {
  return `${key} of ${kind?.toLowerCase()} ${metadata.name}: nothing looks for it there, annotate ${place}`
}

function unknown(where: string, value: string, known: object): string {
  return `${where}: expected one of ${Object.keys(known).join(', ')}, got ${JSON.stringify(value)}`
}
