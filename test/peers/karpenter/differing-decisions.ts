import type { PodSpec } from '../../../src/api/kubernetes.ts'
import { large, onDemand, small, spread, term, type Workload, zone } from './workloads.ts'

const oldZone = 'failure-domain.beta.kubernetes.io/zone'
const team = 'example.com/team'
const tiny = { cpu: '100m', memory: '64Mi' }
const rack = 'example.com/rack'
const shelf = 'example.com/shelf'
const pier = 'example.com/pier'
/** More than half of what a node has. */
const alone = { cpu: '1200m', memory: '256Mi' }
const one = { count: 1, requests: small }
const hardTaint = { key: 'example.com/hard', effect: 'NoSchedule' as const }
const softTaint = { key: 'example.com/soft', effect: 'PreferNoSchedule' as const }

/** Where we decide otherwise than Karpenter, as a line of docs/compatibility.md says. */
export interface DifferingDecision {
  /** With what the line begins. */
  readonly line: string
  readonly workload: Workload
  /** The pools in which nodes are planned, once for each node. */
  readonly nodes: { readonly Karpenter: readonly string[]; readonly Joinery: readonly string[] }
}

export const differingDecisions: readonly DifferingDecision[] = [
  {
    line: 'A host port of a sidecar',
    nodes: { Karpenter: ['sidecars'], Joinery: ['sidecars', 'sidecars'] },
    workload: {
      name: 'sidecars',
      groups: [
        {
          count: 2,
          requests: tiny,
          spec: {
            initContainers: [
              {
                name: 'proxy',
                image: 'registry.example/app:1',
                restartPolicy: 'Always',
                ports: [{ containerPort: 80, hostPort: 8080 }],
                resources: { requests: tiny },
              },
            ],
          },
        },
      ],
    },
  },
  {
    line: 'A required node affinity whose terms are all empty',
    nodes: { Karpenter: ['termless'], Joinery: [] },
    workload: { name: 'termless', groups: [{ count: 1, requests: small, spec: needs({}) }] },
  },
  {
    line: 'A pod whose terms leave it different values of a label that is not well known',
    nodes: { Karpenter: ['torn'], Joinery: [] },
    workload: {
      name: 'torn',
      groups: [
        {
          count: 1,
          requests: small,
          spec: { ...needs(among(team, ['y'])), nodeSelector: { [team]: 'x' } },
        },
      ],
    },
  },
  {
    line: "A pod that wants a value of a label of the user's own",
    nodes: { Karpenter: ['wavering-plain'], Joinery: ['wavering-team'] },
    workload: {
      name: 'wavering',
      pools: [
        { suffix: '-plain' },
        { suffix: '-team', requirements: [onDemand, large, { key: team, operator: 'In', values: ['x', 'y'] }] },
      ],
      groups: [
        {
          count: 1,
          requests: small,
          spec: {
            nodeSelector: { [team]: 'x' },
            affinity: {
              nodeAffinity: {
                preferredDuringSchedulingIgnoredDuringExecution: [
                  { weight: 1, preference: { matchExpressions: [{ key: team, operator: 'DoesNotExist' }] } },
                ],
              },
            },
          },
        },
      ],
    },
  },
  {
    line: 'A spread, affinity or anti-affinity over zones by their older name',
    nodes: { Karpenter: [], Joinery: ['ancient', 'ancient'] },
    workload: {
      name: 'ancient',
      groups: [{ count: 2, requests: small, spec: { topologySpreadConstraints: [spread('ancient', oldZone)] } }],
    },
  },
  {
    line: 'Required anti-affinity on a label that is not well known and that a node lacks',
    nodes: { Karpenter: [], Joinery: ['rackless'] },
    workload: {
      name: 'rackless',
      groups: [
        {
          count: 1,
          requests: small,
          spec: {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [term('rackless', 'example.com/row')],
              },
            },
          },
        },
      ],
    },
  },
  {
    line: 'Required anti-affinity of a pod that waits, on those whom it selects',
    nodes: { Karpenter: [], Joinery: ['shadowed'] },
    workload: {
      name: 'shadowed',
      pools: [{ labels: { [rack]: 'r1' }, template: { taints: [hardTaint] } }],
      groups: [
        {
          count: 1,
          requests: { cpu: '10k', memory: '1Gi' },
          spec: {
            affinity: {
              podAntiAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: [
                  { topologyKey: rack, labelSelector: { matchLabels: { role: 'shadowed' } } },
                ],
              },
            },
          },
        },
        {
          count: 1,
          requests: small,
          labels: { role: 'shadowed' },
          spec: { tolerations: [{ key: hardTaint.key, operator: 'Exists' }] },
        },
      ],
    },
  },
  {
    line: 'Required pod affinity or anti-affinity over zones, or the like, of pods in a pool with a soft taint',
    nodes: { Karpenter: [], Joinery: ['soft'] },
    workload: {
      name: 'soft',
      pools: [{ labels: { [shelf]: 's1' }, template: { taints: [softTaint] } }],
      groups: [
        {
          count: 2,
          requests: small,
          spec: {
            affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term('soft', shelf)] } },
          },
        },
      ],
    },
  },
  {
    line: '`minValues` of a claim whose pods leave fewer values of a label than that',
    nodes: { Karpenter: [], Joinery: ['narrowed'] },
    workload: {
      name: 'narrowed',
      pools: [
        {
          requirements: [
            onDemand,
            large,
            { key: zone, operator: 'In', values: ['us-east-1a', 'us-east-1b', 'us-east-1c'], minValues: 3 },
          ],
        },
      ],
      groups: [{ count: 1, requests: small, spec: { nodeSelector: { [zone]: 'us-east-1a' } } }],
    },
  },
  {
    line: 'A pod that rules out a label of a domain which merely ends like `karpenter.sh`',
    nodes: { Karpenter: [], Joinery: ['lookalike'] },
    workload: {
      name: 'lookalike',
      groups: [
        {
          count: 1,
          requests: small,
          spec: needs({ matchExpressions: [{ key: 'notkarpenter.sh/rank', operator: 'DoesNotExist' }] }),
        },
      ],
    },
  },
  {
    line: 'Pods that find a place only once they tolerate a soft taint',
    nodes: { Karpenter: ['giving-first', 'giving-near'], Joinery: ['giving-first', 'giving-far'] },
    workload: {
      name: 'giving',
      pools: [
        // Room for one of them.
        { suffix: '-first', labels: { [pier]: 'p1' }, spec: { limits: { cpu: '2' } } },
        { suffix: '-near', labels: { [pier]: 'p1' }, template: { taints: [softTaint] } },
        { suffix: '-far', labels: { [pier]: 'p2' }, template: { taints: [softTaint] } },
      ],
      groups: [{ count: 2, requests: alone, spec: { topologySpreadConstraints: [spread('giving', pier)] } }],
    },
  },
  {
    line: 'A volume whose zone only its labels say',
    nodes: { Karpenter: ['labelled-b'], Joinery: ['labelled-a'] },
    workload: {
      name: 'labelled',
      pools: ['a', 'b'].map((letter) => ({
        suffix: `-${letter}`,
        requirements: [onDemand, large, { key: zone, operator: 'In', values: [`us-east-1${letter}`] }],
      })),
      volumes: [{ name: 'labelled', labels: { [zone]: 'us-east-1a' } }],
      groups: [one],
    },
  },
  {
    line: 'A pod whose volumes exclude each other by a label that nodes may be without',
    nodes: { Karpenter: ['parted'], Joinery: [] },
    workload: {
      name: 'parted',
      volumes: ['r1', 'r2'].map((value) => ({ name: `parted-${value}`, nodeLabels: { 'example.com/reach': value } })),
      groups: [one],
    },
  },
  {
    line: 'Stand-ins of a CapacityBuffer whose template has limits without requests',
    nodes: { Karpenter: ['padded'], Joinery: ['padded', 'padded'] },
    workload: { name: 'padded', groups: [], buffer: { count: 2, requests: alone, isLimits: true } },
  },
  {
    line: 'A pod that mounts a `ReadWriteOncePod` volume which another pod has',
    nodes: { Karpenter: ['exclusive'], Joinery: [] },
    workload: {
      name: 'exclusive',
      volumes: [{ name: 'exclusive', accessMode: 'ReadWriteOncePod' }],
      neighbour: { zone: 'us-east-1a', allocatable: alone, resident: { requests: alone } },
      groups: [one],
    },
  },
  {
    line: 'A pod that wants some value of a label, but not each, by two expressions',
    nodes: { Karpenter: [], Joinery: ['choosy'] },
    workload: {
      name: 'choosy',
      pools: [{ requirements: [onDemand, large, { key: team, operator: 'In', values: ['x', 'y'] }] }],
      neighbour: { zone: 'us-east-1a', allocatable: { cpu: '8', memory: '16Gi' } },
      groups: [
        {
          count: 1,
          requests: small,
          spec: needs({
            matchExpressions: [
              { key: team, operator: 'Exists' },
              { key: team, operator: 'NotIn', values: ['x'] },
            ],
          }),
        },
      ],
    },
  },
  {
    line: '`nodeTaintsPolicy: Honor` of a spread, and nodes with a soft taint',
    nodes: { Karpenter: ['honouring-z'], Joinery: ['honouring-y'] },
    workload: {
      name: 'honouring',
      pools: ['y', 'z'].map((letter) => ({
        suffix: `-${letter}`,
        requirements: [
          onDemand,
          large,
          { key: zone, operator: 'In' as const, values: [letter === 'z' ? 'us-east-1a' : 'us-east-1b'] },
        ],
      })),
      // Without room for another one.
      neighbour: { zone: 'us-east-1a', taints: [softTaint], allocatable: alone, resident: { requests: alone } },
      groups: [
        {
          count: 1,
          requests: alone,
          spec: { topologySpreadConstraints: [{ ...spread('honouring', zone), nodeTaintsPolicy: 'Honor' }] },
        },
      ],
    },
  },
  {
    line: 'A pod that has ended (`Failed`) without ever having a node',
    nodes: { Karpenter: ['ended'], Joinery: [] },
    workload: { name: 'ended', groups: [{ ...one, hasFailed: true }] },
  },
]

type NodeSelectorTerm = NonNullable<
  NonNullable<NonNullable<PodSpec['affinity']>['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
>['nodeSelectorTerms'][number]

function needs(...nodeSelectorTerms: readonly NodeSelectorTerm[]): Partial<PodSpec> {
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [...nodeSelectorTerms] } },
    },
  }
}

function among(key: string, values: string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator: 'In', values }] }
}
