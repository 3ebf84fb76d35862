import { type FieldError, field } from '../../errors.ts'
import { arrayAt, isObject, type JsonObject, textAt } from '../../json.ts'
import { nameErrors } from './list-names.ts'

/** Kinds of volumes in the order in which they are looked for, with the field that each cannot be without. */
const sources: Readonly<Record<string, string | undefined>> = {
  emptyDir: undefined,
  hostPath: 'path',
  secret: 'secretName',
  nfs: 'path',
  persistentVolumeClaim: 'claimName',
  configMap: 'name',
  downwardAPI: undefined,
  projected: undefined,
  csi: 'driver',
  ephemeral: undefined,
}

export function volumeErrors(spec: JsonObject, path: string): FieldError[] {
  const names = new Set<string>()
  return arrayAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${path}.volumes[${index}]`
    const name = textAt(volume, 'name') ?? ''
    const errors = nameErrors(name, names, `${at}.name`)
    names.add(name)
    return [...errors, ...sourceErrors(volume, at)]
  })
}

function sourceErrors(volume: unknown, at: string): FieldError[] {
  if (!isObject(volume)) return []
  const present = Object.keys(sources).filter((source) => isObject(volume[source]))
  return present.flatMap((source, index) => {
    if (index > 0) return [field.forbidden(`${at}.${source}`, 'may not specify more than 1 volume type')]
    const needed = sources[source]
    return needed === undefined || (textAt(volume, source, needed) ?? '') !== ''
      ? []
      : [field.required(`${at}.${source}.${needed}`)]
  })
}

/** Mounts of volumes that the pod has not got, without a path, or at a path that is taken. */
export function mountErrors(container: unknown, volumes: ReadonlySet<string>, at: string): FieldError[] {
  const paths = new Set<string>()
  return arrayAt(container, 'volumeMounts').flatMap((mount, index) => {
    const where = `${at}.volumeMounts[${index}]`
    const name = textAt(mount, 'name') ?? ''
    const mountPath = textAt(mount, 'mountPath') ?? ''
    const errors: FieldError[] = []
    if (name === '') errors.push(field.required(`${where}.name`))
    else if (!volumes.has(name)) errors.push(field.notFound(`${where}.name`, name))
    if (mountPath === '') errors.push(field.required(`${where}.mountPath`))
    else if (paths.has(mountPath)) errors.push(field.invalid(`${where}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    return errors
  })
}
