import { expect, test } from 'vitest'
import { ec2NodeClassHash, nodePoolHash } from '../../../src/api/hash/index.ts'
import type { EC2NodeClass, NodePool } from '../../../src/api/karpenter.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { ec2NodeClasses, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { apiCases, type CaseObject, caseObject } from '../../support/api-cases.ts'
import { eventually } from '../support/eventually.ts'
import { karpenterCRDs } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useKarpenter } from '../support/use-karpenter.ts'
import { pathOf } from '../support/verdicts.ts'
import { type Fields, hashedFields } from './hashed-fields.ts'

const generatedPerKind = 150

interface Stamped {
  readonly name: string
  readonly spec: unknown
  readonly hash: string | undefined
  readonly version: string | undefined
}

await describeWithPeers(
  'hashes are those that Karpenter 1.14 writes',
  ['kube-apiserver', 'kubectl', 'moto', 'karpenter'],
  () => {
    const world = useKarpenter(karpenterCRDs)

    test('of NodePools: every case that admission accepts, and random ones', async () => {
      const applied = await applyAll('NodePool')
      const stamped = await untilStamped(applied, async () => {
        const { items } = await world().kube.list(nodePools)
        return items.map(({ metadata, spec }) => stampOf('karpenter.sh/nodepool-hash', metadata, spec))
      })
      const different = stamped.filter(
        ({ spec, hash, version }) => version !== 'v3' || hash !== nodePoolHash({ spec } as Pick<NodePool, 'spec'>),
      )
      expect(different).toEqual([])
    })

    test('of EC2NodeClasses, version 5: every case that admission accepts, and random ones', async () => {
      const applied = await applyAll('EC2NodeClass')
      const stamped = await untilStamped(applied, async () => {
        const { items } = await world().kube.list(ec2NodeClasses)
        return items.map(({ metadata, spec }) => stampOf('karpenter.k8s.aws/ec2nodeclass-hash', metadata, spec))
      })
      const caBundle = Buffer.from(world().controlPlane.caCertificate).toString('base64')
      const different = stamped.filter(
        ({ spec, hash, version }) =>
          version !== 'v5' ||
          hash !== ec2NodeClassHash({ spec } as Pick<Required<EC2NodeClass>, 'spec'>, caBundle, 'v5'),
      )
      expect(different).toEqual([])
    })

    /** How many objects the API server took. */
    async function applyAll(kind: 'NodePool' | 'EC2NodeClass'): Promise<number> {
      const random = new SeededRandom(`hashes of ${kind}`)
      const known = apiCases
        .filter((one) => one.kind === kind && one.want === 'accepted' && one.old === undefined)
        .map(({ change }, index) => caseObject(kind, change, `case-${index}`))
      const generated = Array.from({ length: generatedPerKind }, (_, index) =>
        caseObject(kind, pick(hashedFields[kind], random), `generated-${index}`),
      )
      let taken = 0
      for (const object of [...known, ...generated].filter(isReadable)) {
        const { status, body } = await world().controlPlane.request('POST', pathOf(object), object)
        // Fields that are right by themselves may exclude one another.
        if (status === 422 && object.metadata.name.startsWith('generated')) continue
        expect([status, status === 201 ? '' : body]).toEqual([201, ''])
        taken += 1
      }
      return taken
    }

    async function untilStamped(count: number, list: () => Promise<readonly Stamped[]>): Promise<readonly Stamped[]> {
      expect(count).toBeGreaterThan(generatedPerKind / 2)
      let stamped: readonly Stamped[] = []
      await eventually(`${count} objects are stamped`, async () => {
        stamped = await list()
        return stamped.length === count && stamped.every(({ hash }) => hash !== undefined)
      })
      return stamped
    }
  },
)

function stampOf(
  key: string,
  metadata: { name: string; annotations?: Record<string, string> },
  spec: unknown,
): Stamped {
  return {
    name: metadata.name,
    spec,
    hash: metadata.annotations?.[key],
    version: metadata.annotations?.[`${key}-version`],
  }
}

/** Some of the fields, each with one of its values. */
function pick(fields: Fields, random: SeededRandom): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([path, values]) =>
      random.below(3) === 0 ? [[path, structuredClone(values[random.below(values.length)])]] : [],
    ),
  )
}

/**
 * One that admission lets through ends Karpenter's process, another one blinds it to every class, and a third one is refused by the
 * definitions of its release; see docs/compatibility.md.
 */
function isReadable({ spec }: CaseObject): boolean {
  const text = JSON.stringify(spec)
  return !/"alias":"[^"]*@[^"]*@/.test(text) && !/"volumeSize":"[A-Za-z]/.test(text) && !/"podsPerCore":"/.test(text)
}
