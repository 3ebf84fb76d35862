import { join } from 'node:path'
import { expect } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { helmProgram } from './helm.ts'
import { run } from './run.ts'

export const charts = join(import.meta.dirname, '../../../manifests/charts')

/** Without which the chart renders nothing. */
export const required = ['--set', 'settings.clusterName=demo']

/** What tests look at of an object that a chart renders. */
export interface Rendered {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly rules?: readonly {
    readonly verbs: readonly string[]
    readonly resources: readonly string[]
    readonly resourceNames?: readonly string[]
  }[]
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly affinity?: unknown
        readonly topologySpreadConstraints?: unknown
        readonly imagePullSecrets?: readonly { name: string }[]
        readonly containers: {
          env?: { name: string; value?: string }[]
          args?: string[]
          securityContext?: object
          volumeMounts?: { name: string }[]
        }[]
        readonly volumes?: readonly { name: string }[]
      }
    }
  }
}

/** What a real helm renders of one of our charts in kube-system. Neither an error nor a warning goes unnoticed. */
export async function template(chart: string, ...args: string[]): Promise<Rendered[]> {
  return renderChart('joinery', join(charts, chart), ...args)
}

/** The same of a chart in any folder. */
export async function renderChart(release: string, folder: string, ...args: string[]): Promise<Rendered[]> {
  const command = ['template', release, folder, '--namespace', 'kube-system', ...args]
  const { code, stdout, stderr } = await run(await helmProgram(), command)
  expect([code, stderr]).toEqual([0, ''])
  return parseAllDocuments(stdout).flatMap((document) => {
    expect(document.errors).toEqual([])
    const value = document.toJS() as Rendered | null
    return value === null ? [] : [value]
  })
}
