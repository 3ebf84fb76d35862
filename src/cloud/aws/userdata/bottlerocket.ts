import { parse, stringify, type TomlTable, type TomlValue } from 'smol-toml'
import type { Taint } from '../../../api/kubernetes.ts'
import { compareText } from '../../../model/order.ts'
import { bottlerocketKubernetesTypes, type SettingType } from './bottlerocket-settings.ts'
import { withGoDurations } from './kubelet-flags.ts'
import { UserDataError, type UserDataInputs } from './inputs.ts'

const mountCommand = '000-mount-instance-storage'
const directories = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods']

/** The user's settings with Karpenter's laid over those of Kubernetes. */
export function bottlerocketUserData(inputs: UserDataInputs): string {
  const settings = userSettings(inputs.customUserData)
  const kubernetes = typedKubernetes(settings['kubernetes'])
  settings['kubernetes'] = overlay(kubernetes, inputs)
  if (inputs.raid0) settings['bootstrap-commands'] = withMount(settings['bootstrap-commands'], inputs)
  return stringify({ settings }, { numbersAsFloat: true })
}

/** Keys below `settings.kubernetes` that the user wrote and that are not passed on. */
export function droppedBottlerocketKeys(custom: string | undefined): string[] {
  const kubernetes = userSettings(custom)['kubernetes']
  if (!isTable(kubernetes)) return []
  return Object.keys(kubernetes)
    .filter((key) => !Object.hasOwn(bottlerocketKubernetesTypes, key))
    .toSorted(compareText)
}

function userSettings(custom: string | undefined): TomlTable {
  if (custom === undefined || custom === '') return {}
  let document: TomlTable
  try {
    // What the user wrote comes out as written: whole numbers of any size, floats as floats.
    document = parse(custom, { integersAsBigInt: true })
  } catch (error) {
    throw new UserDataError(
      `invalid UserData, ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''}`,
      error,
    )
  }
  const settings = document['settings']
  if (settings === undefined) return {}
  if (!isTable(settings)) throw new UserDataError('invalid UserData, settings must be a table')
  return { ...settings }
}

function typedKubernetes(value: TomlValue | undefined): TomlTable {
  if (value === undefined) return {}
  if (!isTable(value)) throw new UserDataError('invalid UserData, settings.kubernetes must be a table')
  const kept: TomlTable = {}
  for (const [key, setting] of Object.entries(value)) {
    if (!Object.hasOwn(bottlerocketKubernetesTypes, key)) continue
    const type = bottlerocketKubernetesTypes[key]
    if (type === undefined) continue
    check(`settings.kubernetes.${key}`, setting, type)
    kept[key] = setting
  }
  return kept
}

function check(path: string, value: TomlValue, type: SettingType): void {
  if (typeof type === 'object') {
    if (!isTable(value)) throw mistyped(path, 'a table')
    for (const [key, member] of Object.entries(value)) {
      const memberType = Object.hasOwn(type, '*') ? type['*'] : type[key]
      if (memberType !== undefined) check(`${path}.${key}`, member, memberType)
    }
    return
  }
  const fits = {
    text: () => typeof value === 'string',
    integer: () => typeof value === 'bigint',
    boolean: () => typeof value === 'boolean',
    list: () => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    any: () => true,
  }
  if (!fits[type]()) throw mistyped(path, type === 'list' ? 'a list of strings' : type)
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

function withMount(value: TomlValue | undefined, inputs: UserDataInputs): TomlTable {
  if (value !== undefined && !isTable(value)) {
    throw new UserDataError('invalid UserData, settings.bootstrap-commands must be a table')
  }
  const bind = ['apiclient', 'ephemeral-storage', 'bind']
  return {
    ...value,
    [mountCommand]: {
      commands: [
        ['apiclient', 'ephemeral-storage', 'init'],
        inputs.bindsDirectoriesItself ? bind : [...bind, '--dirs', ...directories],
      ],
      mode: 'always',
      essential: true,
    },
  }
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

function mistyped(path: string, wanted: string): UserDataError {
  return new UserDataError(`invalid UserData, ${path} must be ${wanted}`)
}
