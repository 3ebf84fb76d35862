import * as CDX from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import parseLicense from 'spdx-expression-parse'

/** `package-lock.json`, as far as it is read here: packages by the folder that npm puts them into, the project itself under ''. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

interface LockedPackage {
  readonly name?: string
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const licenses = new CDX.Contrib.License.Factories.LicenseFactory(parseLicense)
const spec = CDX.Spec.Spec1dot6
const serializer = new CDX.Serialize.JsonSerializer(new CDX.Serialize.JSON.Normalize.Factory(spec))

/**
 * A bill of materials (CycloneDX 1.6, JSON) of what the image and the published package run with: the packages of the lock file that
 * are for production, with their hashes and licenses, and which needs which. It has neither time nor serial number, so that the same
 * lock file makes the same text. `npm sbom` would do, did it not leave out packages that tools of development need as well.
 *
 * @throws Error when what would be written is not valid by CycloneDX's own schema
 */
export async function billOfMaterials(lock: LockFile): Promise<string> {
  const { '': project, ...rest } = lock.packages
  if (project === undefined) throw new Error('package-lock.json: the project itself is missing under packages')
  const paths = Object.keys(rest).filter((path) => isShipped(rest[path]))
  const components = new Map<string, CDX.Models.Component>()
  const byPath = new Map<string, CDX.Models.Component>()
  for (const path of paths) {
    const made = toComponent(nameOf(path, rest[path]), rest[path] ?? {}, CDX.Enums.ComponentType.Library)
    const component = components.get(made.bomRef.value ?? '') ?? made
    components.set(component.bomRef.value ?? '', component)
    byPath.set(path, component)
  }
  const application = toComponent(project.name ?? '', project, CDX.Enums.ComponentType.Application)
  byPath.set('', application)
  for (const [path, component] of byPath) {
    for (const needed of namesNeeded(lock.packages[path] ?? {})) {
      const found = resolvedFrom(path, needed, byPath)
      if (found !== undefined && found !== component) component.dependencies.add(found.bomRef)
    }
  }
  const bom = new CDX.Models.Bom({
    metadata: new CDX.Models.Metadata({ component: application }),
    components: new CDX.Models.ComponentRepository(components.values()),
  })
  const text = serializer.serialize(bom, { sortLists: true, space: 2 })
  const problem = await new CDX.Validation.JsonStrictValidator(spec.version).validate(text)
  if (problem !== null) throw new Error(`the bill of materials is not valid: ${JSON.stringify(problem)}`)
  return `${text}\n`
}

/** As `npm ci --omit=dev --omit=optional` chooses. */
function isShipped(locked: LockedPackage | undefined): boolean {
  return locked?.dev !== true && locked?.optional !== true && locked?.devOptional !== true
}

/** A package that stands under another name, as with `npm:` aliases, has its own in its row. */
function nameOf(path: string, locked: LockedPackage | undefined): string {
  return locked?.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function toComponent(fullName: string, locked: LockedPackage, type: CDX.Enums.ComponentType): CDX.Models.Component {
  const slash = fullName.indexOf('/')
  const [group, name] = slash === -1 ? [undefined, fullName] : [fullName.slice(0, slash), fullName.slice(slash + 1)]
  const purl = new PackageURL('npm', group, name, locked.version, undefined, undefined).toString()
  const component = new CDX.Models.Component(type, name, { bomRef: purl, purl })
  if (group !== undefined) component.group = group
  if (locked.version !== undefined) component.version = locked.version
  if (locked.license !== undefined) component.licenses.add(licenses.makeFromString(locked.license))
  for (const [algorithm, content] of hashesIn(locked.integrity ?? '')) component.hashes.set(algorithm, content)
  return component
}

/** Subresource Integrity: hashes in base64, with blanks between. CycloneDX writes them in hex. */
function hashesIn(integrity: string): (readonly [CDX.Enums.HashAlgorithm, string])[] {
  return integrity.split(/\s+/).flatMap((part) => {
    const [, bits = '', base64 = ''] = /^sha(1|256|384|512)-([A-Za-z0-9+/=]+)$/.exec(part) ?? []
    return bits === ''
      ? []
      : [[`SHA-${bits}` as CDX.Enums.HashAlgorithm, Buffer.from(base64, 'base64').toString('hex')]]
  })
}

function namesNeeded({ dependencies, optionalDependencies, peerDependencies }: LockedPackage): string[] {
  return [dependencies, optionalDependencies, peerDependencies].flatMap((named) => Object.keys(named ?? {}))
}

/** Node's way: in the package's own folder first, then in those around it. */
function resolvedFrom<T>(path: string, name: string, byPath: ReadonlyMap<string, T>): T | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = byPath.get(folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`)
    if (found !== undefined || folder === '') return found
  }
}
