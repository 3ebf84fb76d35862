import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { CaseObject } from '../../support/api-cases.ts'
import { runCommand } from '../../support/command-run.ts'
import { installCRDs } from '../support/crds.ts'
import { karpenterCRDs, karpenterExamples } from '../support/karpenter-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { judgedByServer } from '../support/verdicts.ts'

interface Report {
  readonly file: string
  /** Its place in the file. */
  readonly document: number
  readonly apiVersion: string
  readonly allowed: boolean
  readonly errors: readonly unknown[]
}

await describeWithPeers('the examples that Karpenter 1.14 carries', ['kube-apiserver', 'karpenter'], () => {
  const controlPlane = useControlPlane()
  beforeAll(async () => installCRDs(controlPlane(), await karpenterCRDs()))

  test('`joinery validate` takes those, and only those, that an API server with its definitions takes', async () => {
    const { stdout } = await runCommand(['validate', await karpenterExamples(), '-o', 'json'])
    const reports = (JSON.parse(stdout) as Report[]).filter(({ apiVersion }) => apiVersion.startsWith('karpenter.'))
    expect(reports.length).toBeGreaterThan(40)
    const differences: unknown[] = []
    for (const report of reports) {
      const object: unknown = parseAllDocuments(await readFile(report.file, 'utf8'))[report.document]?.toJSON()
      const { errors } = await judgedByServer(controlPlane(), object as CaseObject)
      if (report.allowed !== (errors.length === 0)) differences.push({ ours: report, theirs: errors })
    }
    expect(differences).toEqual([])
  })
})
