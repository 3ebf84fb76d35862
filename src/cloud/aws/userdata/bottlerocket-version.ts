import { aliasOf } from '../ami/family.ts'
import type { NodeClassSpec, StatusAMI } from '../wire.ts'

/** From this release on `apiclient ephemeral-storage bind` knows the directories itself. */
const bindsItselfFrom = { major: 1, minor: 46 }

/** Unknown versions count as older, whose form the newer ones still accept. */
export function bindsDirectoriesItself(spec: NodeClassSpec, amis: readonly StatusAMI[]): boolean {
  const text = versionText(spec, amis)
  if (text === undefined) return false
  if (text === 'latest') return true
  const parts = text.replace(/^v+/, '').split('.')
  const [major, minor] = parts.map(Number)
  if (parts.length < 3 || major === undefined || minor === undefined) return false
  if (!Number.isInteger(major) || !Number.isInteger(minor)) return false
  return major > bindsItselfFrom.major || (major === bindsItselfFrom.major && minor >= bindsItselfFrom.minor)
}

function versionText(spec: NodeClassSpec, amis: readonly StatusAMI[]): string | undefined {
  const alias = aliasOf(spec)
  if (alias !== undefined) return alias.version
  for (const term of spec.amiSelectorTerms) {
    const inName = term.name === undefined ? undefined : versionPart(term.name)
    if (inName !== undefined) return inName
    if (term.id === undefined) continue
    const name = amis.find((ami) => ami.id === term.id)?.name
    if (name?.includes('bottlerocket')) return versionPart(name)
  }
  for (const { name } of amis) {
    const version = name?.includes('bottlerocket') ? versionPart(name) : undefined
    if (version !== undefined) return version
  }
  return undefined
}

/** `bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-9c7e8e4f` → `v1.46.0`. */
function versionPart(name: string): string | undefined {
  return name.split('-').find((part) => part.startsWith('v') && part.includes('.'))
}
