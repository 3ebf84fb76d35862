import { X509Certificate } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { type CertificateManagerOptions, manageCertificates } from '../../../webhooks/certificate-manager.ts'
import { bundleSettleMs, type CertificateState, decideCertificateStep } from '../../../webhooks/certificate-rotation.ts'
import { type Issued, issueAuthority, issueLeaf } from '../../../webhooks/certificates.ts'
import { certificateClock } from '../../support/certificate-clock.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const day = 86_400_000
const issued = (issuedAt: number, notAfter: number): Issued => ({
  certificate: `c${issuedAt}`,
  key: 'k',
  issuedAt,
  notAfter,
})

describe('the next step', () => {
  const young: CertificateState = {
    authority: issued(0, 300 * day),
    previousAuthority: undefined,
    leaf: issued(0, 30 * day),
  }
  const rotating: CertificateState = {
    authority: issued(200 * day, 500 * day),
    previousAuthority: issued(0, 300 * day),
    leaf: issued(190 * day, 220 * day),
  }
  const cases: Record<string, [CertificateState | undefined, now: number, kind: string]> = {
    'nothing stored': [undefined, 0, 'create'],
    'everything young': [young, 10 * day, 'keep'],
    'a leaf just before two thirds of its life': [young, 20 * day - 1, 'keep'],
    'a leaf at two thirds of its life': [young, 20 * day, 'renewLeaf'],
    'an authority just before two thirds of its life': [
      { ...young, leaf: issued(195 * day, 225 * day) },
      200 * day - 1,
      'keep',
    ],
    'an authority at two thirds of its life': [
      { ...young, leaf: issued(195 * day, 225 * day) },
      200 * day,
      'renewAuthority',
    ],
    'a new authority that API servers may not know yet': [rotating, 200 * day + 1, 'keep'],
    'a new authority that they may not know yet, when they know no leaf any more': [
      { ...rotating, leaf: issued(170 * day, 200 * day + 1) },
      200 * day + 1,
      'renewLeaf',
    ],
    'a new authority that they know': [rotating, 200 * day + bundleSettleMs, 'renewLeaf'],
    'the old one while its leaf may still be served': [
      { ...rotating, leaf: issued(200 * day + bundleSettleMs, 230 * day) },
      200 * day + bundleSettleMs + 1,
      'keep',
    ],
    'the old one when nobody needs it any more': [
      { ...rotating, leaf: issued(200 * day + bundleSettleMs, 230 * day) },
      200 * day + 2 * bundleSettleMs,
      'dropPreviousAuthority',
    ],
    'an authority that has run out': [young, 300 * day, 'create'],
  }
  test.each(Object.entries(cases))('%s', (_name, [state, now, kind]) => {
    expect(decideCertificateStep(state, now).kind).toBe(kind)
  })
})

test('over two rotations of the authority, every certificate served is one that the published bundle verifies', async () => {
  const clock = certificateClock(1)
  const store = storeWithSecret()
  store.set('configuration', {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'joinery', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    webhooks: [{ name: 'a', clientConfig: {} }],
  })
  const stop = new AbortController()
  const served: string[] = []
  const bundle = (): string => {
    const [webhook] = (store.get('configuration')?.['webhooks'] ?? []) as { clientConfig: { caBundle?: string } }[]
    return Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64').toString()
  }
  const verifies = (leaf: string): boolean =>
    (bundle().match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g) ?? []).some((ca) =>
      new X509Certificate(leaf).verify(new X509Certificate(ca).publicKey),
    )
  const running = manageCertificates(
    optionsOf(store, clock, {
      validating: ['joinery'],
      lifetimes: { authorityMs: 12 * day, leafMs: 3 * day },
      recheckMs: 6 * 3_600_000,
    }),
    ({ certificate }) => served.push(certificate),
    stop.signal,
  )
  await clock.advance(1)
  const authorities = new Set<string>()
  for (let hour = 0; hour < 24 * 30; hour += 12) {
    await clock.advance(12 * 3_600_000)
    for (const ca of bundle().match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g) ?? []) authorities.add(ca)
    const current = served.at(-1) ?? ''
    expect(verifies(current)).toBe(true)
    expect(Date.parse(new X509Certificate(current).validTo)).toBeGreaterThan(clock.now())
  }
  stop.abort()
  await running
  expect(authorities.size).toBeGreaterThanOrEqual(3)
  expect(served.length).toBeGreaterThan(5)
}, 60_000)

test('of two replicas that start together both serve the certificate of the faster one, and nothing went wrong', async () => {
  const clock = certificateClock(2)
  const store = storeWithSecret()
  const log = recordingLogger()
  const stop = new AbortController()
  const served: string[][] = [[], []]
  const running = served.map((certificates) =>
    manageCertificates(
      optionsOf(store, clock, { log }),
      ({ certificate }) => certificates.push(certificate),
      stop.signal,
    ),
  )
  const startedAt = clock.now()
  await vi.waitUntil(
    async () => {
      await clock.advance(10)
      return served.every((certificates) => certificates.length > 0)
    },
    { timeout: 15_000, interval: 0 },
  )
  expect(clock.now() - startedAt).toBeLessThan(5_000)
  // Looked at again and again, it is still the same: who is given one anew forgets the sessions of all clients.
  await clock.advance(300_000)
  stop.abort()
  await Promise.all(running)
  expect(served[0]).toHaveLength(1)
  expect(served[1]).toEqual(served[0])
  // One has written, once.
  expect(log.lines.map(({ message }) => message)).toEqual(['renewed webhook certificates'])
})

test('a stored certificate that nobody can serve is replaced, and one that was refused is offered again', async () => {
  const clock = certificateClock(1)
  const store = storeWithSecret()
  const stop = new AbortController()
  const served: string[] = []
  let refusals = 1
  const running = manageCertificates(
    optionsOf(store, clock),
    ({ certificate }) => {
      refusals -= 1
      if (refusals >= 0) throw new Error('the port is not there yet')
      served.push(certificate)
    },
    stop.signal,
  )
  const until = (count: number) =>
    vi.waitUntil(async () => (await clock.advance(1_000), served.length >= count), { timeout: 15_000, interval: 0 })
  await until(1)
  const [name, secret] = [...store].find(([, { kind }]) => kind === 'Secret') ?? ['', undefined]
  const { data } = secret as unknown as { data: Record<string, string> }
  const state = JSON.parse(Buffer.from(data['state.json'] ?? '', 'base64').toString()) as CertificateState
  const mixed = { ...state, leaf: { ...state.leaf, key: state.authority.key } }
  const text = Buffer.from(JSON.stringify(mixed)).toString('base64')
  store.set(name, { ...secret, data: { 'state.json': text } } as KubeObject & Record<string, unknown>)
  await until(2)
  stop.abort()
  await running
  expect(served[1]).not.toBe(served[0])
}, 30_000)

test('who comes back after authority and certificate have run down has good ones within seconds', async () => {
  const clock = certificateClock(1)
  const authority = await issueAuthority(clock.now() - 300 * day, 365 * day)
  const leaf = await issueLeaf(authority, ['joinery.kube-system.svc'], clock.now() - 40 * day, 30 * day)
  const stop = new AbortController()
  const served: string[] = []
  const running = manageCertificates(
    optionsOf(storeWithSecret({ authority, leaf }), clock),
    ({ certificate }) => served.push(certificate),
    stop.signal,
  )
  await clock.advance(1_000)
  stop.abort()
  await running
  const last = new X509Certificate(served.at(-1) ?? '')
  expect(Date.parse(last.validTo)).toBeGreaterThan(clock.now())
  expect(last.verify(new X509Certificate(authority.certificate).publicKey)).toBe(false)
})

describe('a stored certificate', () => {
  const ours = 'joinery.kube-system.svc'
  const month = 30 * day

  /** What is served where the Secret holds a leaf for `host`, signed by the authority beside it or by another. */
  async function servedWith(host: string, isSignedByOther = false) {
    const clock = certificateClock(1)
    const authority = await issueAuthority(clock.now(), 300 * day)
    const signer = isSignedByOther ? await issueAuthority(clock.now(), 300 * day) : authority
    const leaf = await issueLeaf(signer, [host], clock.now(), month)
    const store = storeWithSecret({ authority, leaf })
    const stop = new AbortController()
    const served = Promise.withResolvers<string>()
    const running = manageCertificates(optionsOf(store, clock), (tls) => served.resolve(tls.certificate), stop.signal)
    const certificate = new X509Certificate(await served.promise)
    stop.abort()
    await running
    const isVerified = certificate.verify(new X509Certificate(authority.certificate).publicKey)
    return {
      isStored: certificate.toString().trim() === leaf.certificate.trim(),
      isVerified,
      name: certificate.checkHost(ours),
    }
  }

  test('for the Service is served as it is', async () => {
    expect(await servedWith(ours)).toEqual({ isStored: true, isVerified: true, name: ours })
  })

  test.each([
    ['of a Secret that comes from another namespace', 'joinery.elsewhere.svc', false],
    ['that another authority has signed', ours, true],
  ])('%s is renewed at once: API servers would refuse it until it is old', async (_name, host, isSignedByOther) => {
    expect(await servedWith(host, isSignedByOther)).toEqual({ isStored: false, isVerified: true, name: ours })
  })

  const unusable: Record<string, (state: CertificateState) => object | null> = {
    'of which only null is left': () => null,
    'missing beside its authority': ({ authority }) => ({ authority }),
    'whose authority is missing': ({ leaf }) => ({ leaf }),
    'that does not say when it ends': ({ authority, leaf }) => ({
      authority,
      leaf: { ...leaf, notAfter: undefined },
    }),
    'whose authority was issued at a time in words': ({ authority, leaf }) => ({
      authority: { ...authority, issuedAt: new Date(authority.issuedAt).toISOString() },
      leaf,
    }),
    'whose previous authority is none': (state) => ({ ...state, previousAuthority: {} }),
  }
  test.each(Object.entries(unusable))('%s is given up, and all is issued anew', async (_name, change) => {
    const clock = certificateClock(1)
    const authority = await issueAuthority(clock.now(), 300 * day)
    const leaf = await issueLeaf(authority, [ours], clock.now(), month)
    const log = recordingLogger()
    const store = storeWithSecret(change({ authority, previousAuthority: undefined, leaf }))
    const stop = new AbortController()
    const served: string[] = []
    const options = optionsOf(store, clock, { log })
    const running = manageCertificates(options, ({ certificate }) => served.push(certificate), stop.signal)
    await clock.advance(1)
    stop.abort()
    await running
    expect(served.map((text) => new X509Certificate(text).checkHost(ours))).toEqual([ours])
    expect(served).not.toContain(leaf.certificate)
    expect(log.lines.map(({ fields }) => fields['step'])).toEqual(['create'])
  })
})

test('a Secret that is not there is told of, and used as soon as somebody brings it', async () => {
  const clock = certificateClock(1)
  const store: Store = new Map()
  const log = recordingLogger()
  const stop = new AbortController()
  const served: string[] = []
  const running = manageCertificates(
    optionsOf(store, clock, { log }),
    ({ certificate }) => served.push(certificate),
    stop.signal,
  )
  await clock.advance(60_000)
  expect(served).toEqual([])
  // Each time that it was looked for, which is not often enough to be a burden.
  const told = log.lines.filter(({ level }) => level === 'error')
  expect(told.length).toBeGreaterThan(2)
  expect(told.length).toBeLessThan(20)
  for (const [key, secret] of storeWithSecret()) store.set(key, secret)
  await vi.waitUntil(async () => (await clock.advance(1_000), served.length > 0), { timeout: 15_000, interval: 0 })
  stop.abort()
  await running
}, 30_000)

describe('the bundle', () => {
  const bundlesOf = (store: Store, key = 'configuration'): (string | undefined)[] => {
    const { webhooks } = store.get(key) as unknown as { webhooks: { clientConfig: { caBundle?: string } }[] }
    return webhooks.map(({ clientConfig }) => clientConfig.caBundle)
  }
  const configuration = (names: readonly string[], resourceVersion = '1') => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'joinery', uid: 'u', resourceVersion, creationTimestamp: '' },
    webhooks: names.map((name) => ({ name, clientConfig: {} })),
  })

  /** `refuse`: called before each change of a configuration. */
  function world(refuse: (store: Store) => void, more: Partial<CertificateManagerOptions> = {}) {
    const clock = certificateClock(1)
    const store = storeWithSecret()
    store.set('configuration', configuration(['a', 'b']))
    const log = recordingLogger()
    const served: string[] = []
    const stop = new AbortController()
    const { patch, ...others } = storeClient(store)
    const kube = {
      ...others,
      patch: async (...args: Parameters<typeof patch>) => {
        refuse(store)
        return patch(...args)
      },
    } as KubeClient
    const options = optionsOf(store, clock, { kube, log, validating: ['joinery'], ...more })
    const running = manageCertificates(options, ({ certificate }) => served.push(certificate), stop.signal)
    const errors = () => log.lines.filter(({ level }) => level === 'error').map(({ fields }) => fields['err'])
    const end = async () => {
      stop.abort()
      await running
    }
    return { clock, store, served, errors, end }
  }

  test('stands with every webhook of a configuration, and again in one that was made anew', async () => {
    const { clock, store, served, errors, end } = world(() => undefined)
    await clock.advance(1)
    const [bundle = ''] = bundlesOf(store)
    expect(
      new X509Certificate(served[0] ?? '').verify(new X509Certificate(Buffer.from(bundle, 'base64')).publicKey),
    ).toBe(true)
    expect(bundlesOf(store)).toEqual([bundle, bundle])
    store.set('configuration', configuration(['a', 'b', 'c'], '100'))
    await clock.advance(60_000)
    expect(bundlesOf(store)).toEqual([bundle, bundle, bundle])
    store.delete('configuration')
    await clock.advance(60_000)
    await end()
    expect(errors()).toEqual([])
  })

  test('goes at once into the version that somebody else was faster to write, and into no other', async () => {
    let races = 3
    const { clock, store, errors, end } = world((now) => {
      races -= 1
      if (races >= 0) now.set('configuration', configuration(['c', 'a', 'b'].slice(races), String(10 + races)))
    })
    await clock.advance(1)
    await end()
    expect(bundlesOf(store)).toEqual([expect.any(String), expect.any(String), expect.any(String)])
    expect(errors()).toEqual([])
  })

  test('that a policy does not let in is told of, and keeps nobody from being served', async () => {
    const denied = new KubeError('Invalid', 422, 'denied by a policy')
    let isDenied = true
    const { clock, store, served, errors, end } = world(() => {
      if (isDenied) throw denied
    })
    await clock.advance(1)
    expect(served).toHaveLength(1)
    expect(errors()).toEqual([denied])
    isDenied = false
    await clock.advance(5_000)
    await end()
    expect(bundlesOf(store)).toEqual([expect.any(String), expect.any(String)])
    expect(served).toHaveLength(1)
  })

  test('that a policy answers with a conflict, always, is told of as well, and is no longer a race', async () => {
    const conflict = new KubeError('Conflict', 409, 'frozen until Monday')
    let asked = 0
    const { clock, errors, end } = world(() => {
      asked += 1
      throw conflict
    })
    await clock.advance(60_000)
    await end()
    expect(errors()).toContain(conflict)
    expect(asked).toBeLessThan(30)
  })

  test('that cannot be published keeps what is served the one that the bundle from before verifies', async () => {
    let isDenied = false
    const refuse = (): void => {
      if (isDenied) throw new KubeError('Invalid', 422, 'denied by a policy')
    }
    const hour = day / 24
    const lifetimes = { authorityMs: 3 * hour, leafMs: hour }
    const { clock, store, served, end } = world(refuse, { lifetimes })
    await clock.advance(1)
    const verifies = (): boolean[] =>
      bundlesOf(store).map((bundle = '') =>
        new X509Certificate(served.at(-1) ?? '').verify(new X509Certificate(Buffer.from(bundle, 'base64')).publicKey),
      )
    isDenied = true
    // Past the renewal of the authority, and of the leaf that follows once its bundle counts as known.
    await clock.advance(2 * hour + 1.5 * bundleSettleMs)
    const before = served.length
    expect(verifies()).toEqual([true, true])
    isDenied = false
    await clock.advance(5_000)
    await end()
    expect(served).toHaveLength(before + 1)
    expect(verifies()).toEqual([true, true])
  })
})

type Store = Map<string, KubeObject & Record<string, unknown>>

/** The certificates of `joinery-webhook` in `kube-system`, and no configuration to publish them in, unless more is said. */
function optionsOf(
  store: Store,
  clock: CertificateManagerOptions['clock'],
  more: Partial<CertificateManagerOptions> = {},
): CertificateManagerOptions {
  return {
    kube: storeClient(store),
    clock,
    log: silentLogger,
    namespace: 'kube-system',
    secretName: 'joinery-webhook',
    hosts: ['joinery.kube-system.svc'],
    validating: [],
    mutating: [],
    ...more,
  }
}

/** As the manifests bring it, unless certificates are said to be in it. */
function storeWithSecret(state?: object | null): Store {
  const metadata = {
    name: 'joinery-webhook',
    namespace: 'kube-system',
    uid: 'u',
    resourceVersion: '0',
    creationTimestamp: '',
  }
  const data = { 'state.json': Buffer.from(JSON.stringify(state ?? null)).toString('base64') }
  const stored = state === undefined ? {} : { data }
  return new Map([['secret', { apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata, ...stored }]])
}

/** Keeps the Secret under its name and applies the manager's JSON patch to the one configuration. */
function storeClient(store: Store): KubeClient {
  let version = 1
  const save = (key: string, object: object): never => {
    version += 1
    const known = object as KubeObject
    store.set(key, { ...known, metadata: { ...known.metadata, resourceVersion: String(version) } } as never)
    return store.get(key) as never
  }
  const keyOf = (kind: string): string => (kind === 'Secret' ? 'secret' : 'configuration')
  return {
    get: async (resource) => {
      const found = store.get(keyOf(resource.kind))
      if (found === undefined) throw new KubeError('NotFound', 404, 'not found')
      return found as never
    },
    update: async (resource, object) => {
      const known = store.get(keyOf(resource.kind))?.metadata.resourceVersion
      if (known !== object.metadata.resourceVersion) throw new KubeError('Conflict', 409, 'it has changed')
      return save(keyOf(resource.kind), object)
    },
    patch: async (resource, _key, patch) => {
      const body = patch.kind === 'json' ? (patch.body as { op: string; path: string; value: unknown }[]) : []
      const found = structuredClone(store.get(keyOf(resource.kind)))
      if (found === undefined) throw new KubeError('NotFound', 404, 'not found')
      const webhooks = (found?.['webhooks'] ?? []) as { clientConfig: { caBundle?: unknown } }[]
      for (const { op, path, value } of body) {
        if (op === 'test' && value !== found?.metadata.resourceVersion)
          throw new KubeError('Invalid', 422, 'testing value failed')
        const index = /^\/webhooks\/(\d+)\//.exec(path)?.[1]
        const webhook = webhooks[Number(index)]
        if (op === 'add' && webhook !== undefined) webhook.clientConfig.caBundle = value
      }
      return save(keyOf(resource.kind), found)
    },
  } as Partial<KubeClient> as KubeClient
}
