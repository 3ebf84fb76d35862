import type { Pod } from '../api/kubernetes.ts'
import type { Caches } from '../kube/controller.ts'
import { pods } from '../kube/kinds.ts'

/** The pods that are bound to a node, by its name. */
export function podsByNode(caches: Caches): (nodeName: string) => readonly Pod[] {
  const cache = caches.of(pods)
  cache.addIndex(byNode, nodeNames)
  return (nodeName) => cache.by(byNode, nodeName)
}

const byNode = 'nodeName'

function nodeNames({ spec }: Pod): readonly string[] {
  return spec.nodeName === undefined ? [] : [spec.nodeName]
}
