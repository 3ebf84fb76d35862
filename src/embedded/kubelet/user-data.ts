import { parse as parseTOML } from 'smol-toml'
import { parseAllDocuments } from 'yaml'
import type { Taint, TaintEffect } from '../../api/kubernetes.ts'

/** What the start-up text of an instance tells its kubelet. */
export interface KubeletSettings {
  readonly labels: Readonly<Record<string, string>>
  readonly taints: readonly Taint[]
  readonly maxPods: number | undefined
  readonly podsPerCore: number | undefined
  /** What the image keeps memory for: as many pods as the kubelet takes, or as the type's interfaces have addresses for. */
  readonly reservesFor: 'pods' | 'addresses'
  readonly kubeReserved: Readonly<Record<string, string>>
  readonly systemReserved: Readonly<Record<string, string>>
  readonly evictionHard: Readonly<Record<string, string>>
  /** Whether local disks hold the pods' storage. */
  readonly localStorage: boolean
}

interface Draft {
  labels: Record<string, string>
  taints: Taint[]
  maxPods?: number
  podsPerCore?: number
  reservesFor: 'pods' | 'addresses'
  kubeReserved: Record<string, string>
  systemReserved: Record<string, string>
  evictionHard: Record<string, string>
  localStorage: boolean
}

/**
 * Reads AL2023's NodeConfig (plain or in MIME), AL2's and Windows' kubelet arguments, and Bottlerocket's TOML. Whatever else the text
 * holds is left alone: a real machine would run it, this one cannot.
 */
export function parseUserData(base64: string): KubeletSettings {
  const text = Buffer.from(base64, 'base64').toString('utf8')
  const draft: Draft = {
    labels: {},
    taints: [],
    reservesFor: 'addresses',
    kubeReserved: {},
    systemReserved: {},
    evictionHard: {},
    localStorage: false,
  }
  if (/^\s*\[settings[.\]]/m.test(text)) readTOML(text, draft)
  else {
    for (const part of mimeParts(text)) {
      if (/^\s*kind:\s*NodeConfig\s*$/m.test(part)) readNodeConfigs(part, draft)
      else readArguments(part, draft)
    }
  }
  return { ...draft, maxPods: draft.maxPods, podsPerCore: draft.podsPerCore }
}

function mimeParts(text: string): readonly string[] {
  const boundary = /boundary="?([^"\s;]+)"?/i.exec(text)?.[1]
  if (boundary === undefined) return [text]
  return text.split(`--${boundary}`).slice(1)
}

function readNodeConfigs(part: string, draft: Draft): void {
  const trimmed = part.trimStart()
  // A part of MIME begins with headers, which end at the first empty line.
  const body = trimmed.startsWith('Content-Type:') ? trimmed.replace(/^[\s\S]*?\r?\n\r?\n/, '') : part
  for (const document of parseAllDocuments(body)) {
    const config: unknown = document.toJS()
    const instance = objectAt(config, 'spec', 'instance', 'localStorage')
    if (Object.keys(instance).length > 0) draft.localStorage = true
    const kubelet = objectAt(config, 'spec', 'kubelet', 'config')
    for (const taint of listAt(kubelet, 'registerWithTaints')) addTaint(draft, taint)
    if (typeof kubelet['maxPods'] === 'number') draft.maxPods = kubelet['maxPods']
    if (typeof kubelet['podsPerCore'] === 'number') draft.podsPerCore = kubelet['podsPerCore']
    for (const field of ['kubeReserved', 'systemReserved', 'evictionHard'] as const) {
      Object.assign(draft[field], textsOf(objectAt(kubelet, field)))
    }
    for (const flag of listAt(objectAt(config, 'spec', 'kubelet'), 'flags')) readArguments(String(flag), draft)
  }
}

/** kubelet flags wherever they occur: `--node-labels="a=b,c=d"`, quoted or not. */
function readArguments(text: string, draft: Draft): void {
  const valueOf = (flag: string) => new RegExp(`--${flag}[= ](?:"([^"]*)"|'([^']*)'|([^\\s"']+))`).exec(text)
  const pairs = (flag: string, separator: string) =>
    listValue(valueOf(flag)).flatMap((entry) => {
      const at = entry.indexOf(separator)
      return at < 0 ? [[entry, ''] as const] : [[entry.slice(0, at), entry.slice(at + 1)] as const]
    })
  for (const [key, value] of pairs('node-labels', '=')) draft.labels[key] = value
  for (const entry of listValue(valueOf('register-with-taints'))) {
    const match = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(entry)
    if (match !== null) addTaint(draft, { key: match[1], value: match[2], effect: match[3] })
  }
  const maxPods = Number(listValue(valueOf('max-pods'))[0])
  if (Number.isInteger(maxPods)) draft.maxPods = maxPods
  const podsPerCore = Number(listValue(valueOf('pods-per-core'))[0])
  if (Number.isInteger(podsPerCore)) draft.podsPerCore = podsPerCore
  Object.assign(draft.kubeReserved, Object.fromEntries(pairs('kube-reserved', '=')))
  Object.assign(draft.systemReserved, Object.fromEntries(pairs('system-reserved', '=')))
  Object.assign(draft.evictionHard, Object.fromEntries(pairs('eviction-hard', '<')))
  if (/--local-disks raid0/.test(text)) draft.localStorage = true
  if (text.includes('Start-EKSBootstrap.ps1')) draft.reservesFor = 'pods'
}

function listValue(match: RegExpExecArray | null): readonly string[] {
  const text = match?.[1] ?? match?.[2] ?? match?.[3] ?? ''
  return text === '' ? [] : text.split(',')
}

function readTOML(text: string, draft: Draft): void {
  const settings = objectAt(parseTOML(text), 'settings')
  const kubernetes = objectAt(settings, 'kubernetes')
  Object.assign(draft.labels, textsOf(objectAt(kubernetes, 'node-labels')))
  for (const [key, values] of Object.entries(objectAt(kubernetes, 'node-taints'))) {
    for (const entry of Array.isArray(values) ? values : [values]) {
      const [value, effect] = String(entry).split(':')
      addTaint(draft, { key, value, effect })
    }
  }
  if (typeof kubernetes['max-pods'] === 'number') draft.maxPods = kubernetes['max-pods']
  draft.reservesFor = 'pods'
  Object.assign(draft.kubeReserved, textsOf(objectAt(kubernetes, 'kube-reserved')))
  Object.assign(draft.systemReserved, textsOf(objectAt(kubernetes, 'system-reserved')))
  Object.assign(draft.evictionHard, textsOf(objectAt(kubernetes, 'eviction-hard')))
  if (JSON.stringify(objectAt(settings, 'bootstrap-commands')).includes('ephemeral-storage')) draft.localStorage = true
}

const effects: readonly string[] = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] satisfies TaintEffect[]

function addTaint(draft: Draft, entry: unknown): void {
  const { key, value, effect } = (entry ?? {}) as Record<string, unknown>
  if (typeof key !== 'string' || typeof effect !== 'string' || !effects.includes(effect)) return
  const taint: Taint = { key, effect: effect as TaintEffect }
  if (typeof value === 'string' && value !== '') taint.value = value
  draft.taints.push(taint)
}

function objectAt(from: unknown, ...path: readonly string[]): Record<string, unknown> {
  let value = from
  for (const step of path) value = (value as Record<string, unknown> | null | undefined)?.[step]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function listAt(from: Record<string, unknown>, name: string): readonly unknown[] {
  const value = from[name]
  return Array.isArray(value) ? value : []
}

function textsOf(from: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, String(value)]))
}
