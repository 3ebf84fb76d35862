import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { hasCode } from '../../kube/errors.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Resource } from '../../kube/resource.ts'
import { assertNever } from '../../model/order.ts'
import { ProblemsError, UsageError } from '../command-line.ts'
import { kindNames } from '../kind-names.ts'

export const steeredKinds = {
  nodepool: nodePools,
  ec2nodeclass: ec2NodeClasses,
  rolloutpolicy: rolloutPolicies,
} as const satisfies Readonly<Record<string, Resource>>

type SteeredKind = keyof typeof steeredKinds

/** An object as it is named on the command line. */
export interface Reference {
  readonly kind: SteeredKind
  readonly name: string
}

/** The object behind a reference, as it was read. */
export type Steered = Readonly<
  | { kind: 'nodepool'; name: string; object: NodePool }
  | { kind: 'ec2nodeclass'; name: string; object: EC2NodeClass }
  | { kind: 'rolloutpolicy'; name: string; object: RolloutPolicy }
>

const aliases = new Map<string, SteeredKind>(
  Object.entries({
    nodepool: kindNames(nodePools),
    ec2nodeclass: kindNames(ec2NodeClasses, 'ec2nc', 'ec2ncs'),
    rolloutpolicy: kindNames(rolloutPolicies, 'rop'),
  } as const satisfies Record<SteeredKind, readonly string[]>).flatMap(([kind, names]) =>
    names.map((name) => [name, kind as SteeredKind] as const),
  ),
)

/**
 * What is meant, said as kubectl takes it: `nodepool/general`, `nodepool general`, `nodepools.karpenter.sh/general`. A plain name is a NodePool's.
 * @throws UsageError
 */
export function parseReference(first: string, second?: string): Reference {
  if (second !== undefined && first.includes('/')) {
    throw new UsageError(`${first} names one object, and ${second} would be another: one is taken at a time`)
  }
  const text = second === undefined ? first : `${first}/${second}`
  const words = text.split('/')
  const [kindName = '', name = ''] = words.length === 1 ? ['nodepool', text] : words
  const kind = aliases.get(kindName.toLowerCase())
  if (kind === undefined) {
    throw new UsageError(`${text}: a rollout belongs to nodepool/NAME, ec2nodeclass/NAME or rolloutpolicy/NAME`)
  }
  if (name === '' || words.length > 2) throw new UsageError(`${text}: expected KIND/NAME, such as nodepool/general`)
  return { kind, name }
}

export function referenceText({ kind, name }: Reference): string {
  return `${kind}/${name}`
}

/** @throws ProblemsError that names what there is instead. */
export async function fetchSteered(
  client: KubeClient,
  { kind, name }: Reference,
  signal: AbortSignal,
): Promise<Steered> {
  switch (kind) {
    case 'nodepool':
      return { kind, name, object: await fetchNamed(client, nodePools, name, signal) }
    case 'ec2nodeclass':
      return { kind, name, object: await fetchNamed(client, ec2NodeClasses, name, signal) }
    case 'rolloutpolicy':
      return { kind, name, object: await fetchNamed(client, rolloutPolicies, name, signal) }
    default:
      return assertNever(kind)
  }
}

async function fetchNamed<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  name: string,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await client.get(resource, { name }, { signal })
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error
    throw new ProblemsError([await absenceText(client, resource, name, signal)])
  }
}

async function absenceText(client: KubeClient, resource: Resource, name: string, signal: AbortSignal): Promise<string> {
  const said = `there is no ${resource.kind} ${name} in the cluster`
  try {
    const { items } = await client.list(resource, { signal })
    const names = items.map(({ metadata }) => metadata.name)
    return names.length === 0 ? said : `${said}; there is ${names.join(', ')}`
  } catch {
    return said
  }
}
