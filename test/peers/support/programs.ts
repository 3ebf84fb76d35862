import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { buildControlPlane, whyNoControlPlaneBuild } from './control-plane-binary.ts'

/** A program and the arguments that come before its own. */
export interface Program {
  readonly command: string
  readonly args: readonly string[]
}

export type ControlPlaneProgram = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler'

/** Why a program of the control plane is not to be had; undefined when it is. */
export async function whyNoControlPlane(...names: readonly ControlPlaneProgram[]): Promise<string | undefined> {
  const assets = process.env['KUBEBUILDER_ASSETS']
  if (!assets) {
    const why = await whyNoControlPlaneBuild()
    return why === undefined ? undefined : `${why}, and KUBEBUILDER_ASSETS is not set`
  }
  for (const name of names) {
    if (!(await isExecutable(join(assets, name)))) return `KUBEBUILDER_ASSETS has no ${name}`
  }
  return undefined
}

/** KUBEBUILDER_ASSETS when it is set, as everyone in this field does; else our own build, which is made when it is not there yet. */
export async function controlPlaneProgram(name: ControlPlaneProgram): Promise<Program> {
  const assets = process.env['KUBEBUILDER_ASSETS']
  if (assets) return { command: join(assets, name), args: [] }
  return { command: await buildControlPlane(), args: [name] }
}

/** Why there is no kubectl; undefined when there is. */
export async function whyNoKubectl(): Promise<string | undefined> {
  if ((await installedKubectl()) !== undefined) return undefined
  const why = await whyNoControlPlaneBuild()
  return why === undefined ? undefined : `kubectl is not on the PATH, and ${why}`
}

/** That of KUBEBUILDER_ASSETS or of the PATH; else our own build, which is made when it is not there yet. */
export async function kubectlProgram(): Promise<Program> {
  const installed = await installedKubectl()
  if (installed !== undefined) return { command: installed, args: [] }
  return { command: await buildControlPlane(), args: ['kubectl'] }
}

async function installedKubectl(): Promise<string | undefined> {
  const folders = [process.env['KUBEBUILDER_ASSETS'] ?? '', ...(process.env['PATH'] ?? '').split(delimiter)]
  for (const folder of folders) {
    if (folder !== '' && (await isExecutable(join(folder, 'kubectl')))) return join(folder, 'kubectl')
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
