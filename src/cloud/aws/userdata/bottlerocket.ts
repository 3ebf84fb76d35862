import { parse, stringify, type TomlTable, type TomlValue } from 'smol-toml'
import { firstLineOf } from '../../../api/error-text.ts'
import type { Taint } from '../../../api/kubernetes.ts'
import { compareText } from '../../../model/order.ts'
import {
  bootstrapCommandTypes,
  bottlerocketKubernetesTypes,
  type SettingType,
  type TableType,
} from './bottlerocket-settings.ts'
import { withGoDurations } from './kubelet-flags.ts'
import { UserDataError, type UserDataInputs } from './inputs.ts'

const kubernetesPath = 'settings.kubernetes'
const mountCommand = '000-mount-instance-storage'
const directories = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods']

/** The user's settings with Karpenter's laid over those of Kubernetes. */
export function bottlerocketUserData(inputs: UserDataInputs): string {
  const settings = userSettings(inputs.customUserData)
  settings['kubernetes'] = overlay(typedKubernetes(settings), inputs)
  const commands = bootstrapCommands(settings)
  if (inputs.raid0) settings['bootstrap-commands'] = { ...commands, [mountCommand]: mount(inputs) }
  try {
    return stringify({ settings }, { numbersAsFloat: true })
  } catch (error) {
    // What is nested as deeply as can be read is too deep to be written one level further down.
    throw unusable(error)
  }
}

/** Paths below `settings.kubernetes` that the user wrote and that are not passed on. @throws UserDataError */
export function droppedBottlerocketKeys(custom: string | undefined): string[] {
  const dropped: string[] = []
  typedKubernetes(userSettings(custom), (path) => dropped.push(path.slice(`${kubernetesPath}.`.length)))
  return dropped.toSorted(compareText)
}

function userSettings(custom: string | undefined): TomlTable {
  if (custom === undefined || custom === '') return {}
  let document: TomlTable
  try {
    // What the user wrote comes out as written: whole numbers of any size, floats as floats.
    document = parse(custom, { integersAsBigInt: true })
  } catch (error) {
    throw unusable(error)
  }
  const settings = document['settings']
  if (settings === undefined) return {}
  if (!isTable(settings)) throw new UserDataError('invalid UserData, settings must be a table')
  return { ...settings }
}

/** Told the path of a key that no type knows. */
type OnUnknown = (path: string) => void

function typedKubernetes(settings: TomlTable, onUnknown?: OnUnknown): TomlTable {
  return typedTable(kubernetesPath, settings['kubernetes'] ?? {}, bottlerocketKubernetesTypes, onUnknown)
}

/** As the user wrote them: what a later Bottlerocket knows of a command is its own matter. */
function bootstrapCommands(settings: TomlTable): TomlTable {
  const commands = settings['bootstrap-commands'] ?? {}
  typedTable('settings.bootstrap-commands', commands, bootstrapCommandTypes)
  return isTable(commands) ? commands : {}
}

/** What a table's type knows of it, however deep. */
function typedTable(path: string, value: TomlValue, type: TableType, onUnknown?: OnUnknown): TomlTable {
  if (!isTable(value)) throw mistyped(path, 'a table')
  const kept = Object.entries(value).flatMap(([key, member]): [string, TomlValue][] => {
    const memberPath = `${path}.${key}`
    const memberType = Object.hasOwn(type, '*') ? type['*'] : Object.hasOwn(type, key) ? type[key] : undefined
    if (memberType === undefined) {
      onUnknown?.(memberPath)
      return []
    }
    return [[key, typedValue(memberPath, member, memberType, onUnknown)]]
  })
  return Object.fromEntries(kept)
}

function typedValue(path: string, value: TomlValue, type: SettingType, onUnknown?: OnUnknown): TomlValue {
  if (typeof type === 'object') return typedTable(path, value, type, onUnknown)
  const fits = {
    text: () => typeof value === 'string',
    integer: () => typeof value === 'bigint',
    boolean: () => typeof value === 'boolean',
    list: () => isTextList(value),
    lists: () => Array.isArray(value) && value.every(isTextList),
    any: () => true,
  }
  if (!fits[type]()) throw mistyped(path, wordings[type] ?? type)
  return value
}

const wordings: Partial<Record<SettingType & string, string>> = {
  list: 'a list of strings',
  lists: 'a list of lists of strings',
}

function isTextList(value: TomlValue): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function overlay(user: TomlTable, inputs: UserDataInputs): TomlTable {
  const { kubelet } = inputs
  const dns = kubelet.clusterDNS?.[0]
  const userLabels = isTable(user['node-labels']) ? user['node-labels'] : {}
  const result: TomlTable = {
    ...user,
    'api-server': inputs.clusterEndpoint,
    'cluster-certificate': inputs.caBundle,
    'cluster-name': inputs.clusterName,
    'node-labels': { ...userLabels, ...inputs.labels },
    'node-taints': taintTable(inputs.taints),
  }
  const put = (key: string, value: TomlValue | undefined): void => {
    if (value !== undefined) result[key] = value
  }
  put('cluster-dns-ip', dns)
  put('max-pods', whole(typeof kubelet.maxPods === 'number' ? kubelet.maxPods : undefined))
  put('system-reserved', table(kubelet.systemReserved))
  put('kube-reserved', table(kubelet.kubeReserved))
  put('eviction-hard', table(kubelet.evictionHard))
  put('eviction-soft', table(kubelet.evictionSoft))
  put('eviction-soft-grace-period', table(withGoDurations(kubelet.evictionSoftGracePeriod)))
  put('eviction-max-pod-grace-period', whole(kubelet.evictionMaxPodGracePeriod))
  put('image-gc-high-threshold-percent', kubelet.imageGCHighThresholdPercent?.toString())
  put('image-gc-low-threshold-percent', kubelet.imageGCLowThresholdPercent?.toString())
  put('cpu-cfs-quota-enforced', kubelet.cpuCFSQuota)
  return result
}

function whole(value: number | undefined): bigint | undefined {
  return value === undefined ? undefined : BigInt(value)
}

function table(map: Readonly<Record<string, string>> | undefined): TomlTable | undefined {
  return map === undefined ? undefined : { ...map }
}

function taintTable(taints: readonly Taint[]): TomlTable {
  const byKey = new Map<string, string[]>()
  for (const { key, value, effect } of taints) byKey.set(key, [...(byKey.get(key) ?? []), `${value ?? ''}:${effect}`])
  return Object.fromEntries(byKey)
}

function mount({ bindsDirectoriesItself }: UserDataInputs): TomlTable {
  const bind = ['apiclient', 'ephemeral-storage', 'bind']
  return {
    commands: [
      ['apiclient', 'ephemeral-storage', 'init'],
      bindsDirectoriesItself ? bind : [...bind, '--dirs', ...directories],
    ],
    mode: 'always',
    essential: true,
  }
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function unusable(error: unknown): UserDataError {
  // The parser shows the text, too, in lines of its own: as a cause they would come into logs, events and conditions.
  return new UserDataError(`invalid UserData, ${firstLineOf(error)}`)
}

function mistyped(path: string, wanted: string): UserDataError {
  return new UserDataError(`invalid UserData, ${path} must be ${wanted}`)
}
