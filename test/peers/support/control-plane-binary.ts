import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildGoProgram, whyNoGo } from './go-program.ts'

/** Our Go program that is etcd, kube-apiserver, kube-controller-manager and kube-scheduler in one. */
const source = join(import.meta.dirname, '..', 'kubernetes', 'control-plane')

/** Why the program cannot be built here; undefined when it can. */
export function whyNoControlPlaneBuild(): Promise<string | undefined> {
  return whyNoGo(source)
}

/** The path of the built program; see `buildGoProgram`. */
export async function buildControlPlane(): Promise<string> {
  const goMod = await readFile(join(source, 'go.mod'), 'utf8')
  const version = /^\s*k8s\.io\/kubernetes (v\d+\.\d+\.\d+)$/m.exec(goMod)?.[1] ?? 'v0.0.0'
  const [major = '', minor = ''] = version.slice(1).split('.')
  // What Kubernetes' own build sets, so that GET /version tells the truth.
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' }
  return buildGoProgram({
    title: `Kubernetes ${version}`,
    name: 'control-plane',
    source,
    package: '.',
    stamps: Object.fromEntries(
      Object.entries(stamps).map(([name, value]) => [`k8s.io/component-base/version.${name}`, value]),
    ),
  })
}
