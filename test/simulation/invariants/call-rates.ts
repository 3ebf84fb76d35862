import { LeakyBucket } from './leaky-bucket.ts'
import type { Look, Watcher } from './look.ts'

interface Rate {
  readonly perSecond: number
  readonly burst: number
}

/** Beside what objects cost: what controllers do that look around every few seconds or minutes. */
const kubeBase: Rate = { perSecond: 5, burst: 100 }
/** An object is read or written this often by one kind of call when it comes: as pods are nominated, or claims go through their states. */
const callsPerObject = 3
/** kube-scheduler takes a nomination away with each attempt that fails, as long as the node is not ready, and it is given anew. */
const nominationsPerPod = 10
/** A fleet at work changes each of its objects every twenty seconds or less. */
const secondsPerObjectCall = 20
/** The holder renews every two seconds, and looks at who else there is. */
const leases: Rate = { perSecond: 1, burst: 10 }

/**
 * EC2's own buckets are larger (20 a second with a burst of 100 for reading, 5 with 50 for changing things, 2 with 5 for RunInstances), but
 * others share an account. These are what a fleet needs whose reads are batched, for every machine one more.
 */
const cloudReads: Rate = { perSecond: 2, burst: 60 }
const cloudChanges: Rate = { perSecond: 1, burst: 30 }
const cloudBuckets: Readonly<Record<string, Rate>> = {
  // Dry runs of permissions; EC2's own bucket for launches.
  'ec2:RunInstances': { perSecond: 2, burst: 5 },
  // A message for each change of each machine; the queue has no limit of its own.
  'sqs:ReceiveMessage': { perSecond: 5, burst: 100 },
  'sqs:DeleteMessage': { perSecond: 5, burst: 100 },
}

/** I22: what is called, at the API server or at AWS, stays within a bucket of its own, whatever goes wrong. */
export function callRateWatcher(look: Look): Watcher {
  const buckets = new Map<string, LeakyBucket>()
  let pods = look.pods.length
  let claims = look.claims.length

  function call(key: string, { perSecond, burst }: Rate): void {
    const known = buckets.get(key) ?? new LeakyBucket({ perSecond, burst })
    buckets.set(key, known)
    if (known.takesIn(look.elapsed)) return
    look.report('I22', key, `is called more often than ${burst} times at once and ${perSecond} times a second`)
  }

  /** A bucket grows with the fleet that it is for; it begins full whenever it has to grow by half. */
  function sized(key: string, objects: number, { perSecond, burst }: Rate, perObject: number): void {
    const size = 1.5 ** Math.ceil(Math.log(Math.max(1, objects)) / Math.log(1.5))
    call(`${key} (up to ${Math.ceil(size)} objects)`, {
      perSecond: perSecond + size / secondsPerObjectCall,
      burst: burst + Math.ceil(size * perObject),
    })
  }

  return {
    onPod(type) {
      if (type === 'ADDED') pods += 1
      if (type === 'DELETED') pods -= 1
    },
    onClaim(type) {
      if (type === 'ADDED') claims += 1
      if (type === 'DELETED') claims -= 1
    },
    onCall({ verb, resource, subresource }) {
      const key = `${verb} ${resource.plural}${subresource === undefined ? '' : `/${subresource}`}`
      if (resource.plural === 'leases') call(key, leases)
      else sized(key, pods + claims, kubeBase, key === 'patch pods/status' ? nominationsPerPod : callsPerObject)
    },
    onCloudCall({ service, action }) {
      const key = `${service}:${action}`
      const isRead = /^(Describe|List|Get)/.test(action)
      const own = cloudBuckets[key]
      if (own === undefined) sized(key, claims, isRead ? cloudReads : cloudChanges, 1)
      else call(key, own)
    },
  }
}
