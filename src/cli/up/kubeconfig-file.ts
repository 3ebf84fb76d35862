import { readFileSync, statSync } from 'node:fs'
import type { KubeConfig } from '@kubernetes/client-node'
import { readKubeConfigFiles } from '../../kube/kube-config-files.ts'
import { ProblemsError } from '../command-line.ts'

/** A kubeconfig like that which is about to be written there: the name of its context, and an address on this machine. */
const ownContext = 'joinery'
const ownServer = /^https:\/\/127\.0\.0\.1:\d+$/

/**
 * Other tools merge into the kubeconfig that they are given, and other commands read it; this one writes the whole file, with which the way
 * to somebody's clusters would be gone.
 *
 * @throws ProblemsError when the file holds anything but what an earlier run has written
 */
export function requireOwnKubeconfig(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true || readFileSync(path, 'utf8').trim() === '') return
  if (isOwn(path)) return
  throw new ProblemsError([
    `${path} was not written by \`joinery up\`, and what it holds would be lost: try --kubeconfig <another file>`,
  ])
}

function isOwn(path: string): boolean {
  let config: KubeConfig
  try {
    config = readKubeConfigFiles([path])
  } catch {
    return false
  }
  const [first, ...others] = config.getContexts()
  return first?.name === ownContext && others.length === 0 && ownServer.test(config.getCurrentCluster()?.server ?? '')
}
