import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { KubeConfig } from '@kubernetes/client-node'
import { parse } from 'yaml'
import { isRecord, type JsonRecord } from '../api/json.ts'
import { kubernetesYAML } from '../api/kubernetes-yaml.ts'
import { withImpersonation } from './impersonation.ts'

/** A file that cannot be read, or is no kubeconfig; the cause says why. */
export class KubeConfigFileError extends Error {
  readonly code = 'KubeConfigFile'
  readonly path: string

  constructor(path: string, cause: unknown) {
    super(`cannot read ${path}`, { cause })
    this.path = path
  }
}

/**
 * What kubectl makes of these files together, so that both speak to the same cluster: of current contexts, and of entries of one name, the
 * first counts; a file that is not there is passed over where another one is, and so is an entry that nobody could use. With client-node's
 * own rules the last current context counts, and such files and entries are errors.
 *
 * @throws KubeConfigFileError
 */
export function readKubeConfigFiles(paths: readonly string[]): KubeConfig {
  const present = paths.filter((path) => existsSync(path))
  const files = (present.length === 0 ? paths : present).map(readFile)
  const merged = {
    clusters: firstOfEachName(files, 'clusters'),
    contexts: firstOfEachName(files, 'contexts'),
    users: firstOfEachName(files, 'users'),
    'current-context': files.map((file) => file['current-context']).find(Boolean),
  }
  const config = new KubeConfig()
  config.loadFromString(JSON.stringify(merged), { onInvalidEntry: 'filter' })
  config.users = withImpersonation(config.users, merged.users)
  return config
}

function readFile(path: string): JsonRecord {
  try {
    // Not with the parser's warnings: it prints them with the line that they are about.
    const read: unknown = parse(readFileSync(path, 'utf8'), { ...kubernetesYAML, logLevel: 'error' }) ?? {}
    if (!isRecord(read)) throw new Error('it is no kubeconfig')
    const folder = dirname(resolve(path))
    return {
      ...read,
      clusters: entriesOf(read, 'clusters').map((entry) => withInner(entry, 'cluster', (it) => placed(it, folder))),
      users: entriesOf(read, 'users').map((entry) =>
        withInner(entry, 'user', (it) => userIn(placed(it, folder), folder)),
      ),
    }
  } catch (error) {
    throw new KubeConfigFileError(path, error)
  }
}

type ListName = 'clusters' | 'contexts' | 'users'

function entriesOf(file: JsonRecord, list: ListName): readonly JsonRecord[] {
  const entries: unknown = file[list]
  return Array.isArray(entries) ? entries.filter(isRecord) : []
}

function firstOfEachName(files: readonly JsonRecord[], list: ListName): readonly JsonRecord[] {
  const byName = new Map<unknown, JsonRecord>()
  for (const entry of files.flatMap((file) => entriesOf(file, list))) {
    if (!byName.has(entry['name'])) byName.set(entry['name'], entry)
  }
  return [...byName.values()]
}

function withInner(entry: JsonRecord, name: string, change: (inner: JsonRecord) => JsonRecord): JsonRecord {
  const inner = entry[name]
  return isRecord(inner) ? { ...entry, [name]: change(inner) } : entry
}

/** Files are named from the folder of the kubeconfig that names them. */
function placed(inner: JsonRecord, folder: string): JsonRecord {
  const fields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile']
  const absolute = fields.flatMap((field) => {
    const file = inner[field]
    return typeof file === 'string' && file !== '' ? [[field, resolve(folder, file)] as const] : []
  })
  return { ...inner, ...Object.fromEntries(absolute) }
}

/** Programs, too, unless they are found on the PATH. A token in a file, which client-node knows from pods only, goes before one in the text. */
function userIn({ exec, tokenFile, ...user }: JsonRecord, folder: string): JsonRecord {
  const command = isRecord(exec) ? exec['command'] : undefined
  const program = typeof command === 'string' && command.includes(sep) ? { command: resolve(folder, command) } : {}
  return {
    ...user,
    ...(isRecord(exec) ? { exec: { ...exec, ...program } } : {}),
    ...(typeof tokenFile === 'string' && tokenFile !== ''
      ? { token: undefined, 'auth-provider': { name: 'tokenFile', config: { tokenFile } } }
      : {}),
  }
}
