import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

/*
 * Pods that Karpenter left alone for `do-not-evict` are disrupted since v1, and those that select nodes by their Provisioner wait, without a
 * word: whoever converts the pools has to convert these, too.
 */

const deployment = `# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations: { team: a } # ours
spec:
  template:
    metadata:
      annotations:
        # jobs of hours
        karpenter.sh/do-not-evict: "true"
        other: x
    spec:
      nodeSelector:
        karpenter.sh/provisioner-name: default
      affinity:
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchExpressions:
                  - { key: karpenter.sh/provisioner-name, operator: Exists } # any
      topologySpreadConstraints:
        - { maxSkew: 1, topologyKey: karpenter.sh/provisioner-name, whenUnsatisfiable: DoNotSchedule }
`

test('workloads get the names that v1 knows, comments kept', async () => {
  const { code, stdout, stderr } = await runCommand(['convert', '-'], { stdin: deployment })
  expect(code).toBe(0)
  expect(stdout).toBe(
    deployment.replaceAll('provisioner-name', 'nodepool').replaceAll('do-not-evict', 'do-not-disrupt'),
  )
  expect(stderr.split('\n')).toEqual([
    '-:12:9 Deployment/shop check: karpenter.sh/do-not-evict is karpenter.sh/do-not-disrupt now',
    '-:16:9 Deployment/shop check: karpenter.sh/provisioner-name is karpenter.sh/nodepool now',
    '-:22:23 Deployment/shop check: karpenter.sh/provisioner-name is karpenter.sh/nodepool now',
    '-:24:25 Deployment/shop check: karpenter.sh/provisioner-name is karpenter.sh/nodepool now',
    '',
  ])
})

test.each([
  ['pods by themselves', 'v1', 'Pod', 'metadata: { annotations: { karpenter.sh/do-not-evict: "true" } }'],
  [
    'pods of jobs of cron jobs',
    'batch/v1',
    'CronJob',
    'spec: { jobTemplate: { spec: { template: { metadata: { annotations: { karpenter.sh/do-not-evict: "true" } } } } } }',
  ],
  [
    'values of a release',
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    'spec: { values: { nodeSelector: { karpenter.sh/provisioner-name: a } } }',
  ],
])('so do %s', async (_name, apiVersion, kind, rest) => {
  const { stdout } = await runCommand(['convert', '-'], {
    stdin: `apiVersion: ${apiVersion}\nkind: ${kind}\n${rest}\n`,
  })
  expect(stdout).toMatch(/do-not-disrupt: "true"|karpenter\.sh\/nodepool: a/)
  expect(stdout).not.toMatch(/do-not-evict|provisioner-name/)
})

test.each([
  [
    'what has the new names',
    'apiVersion: v1\nkind: Pod\nmetadata: { annotations: { karpenter.sh/do-not-disrupt: "true" } }\n',
  ],
  [
    'what no pod reads',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { note: karpenter.sh/do-not-evict }\n',
  ],
  ['what is no object', 'nodeSelector: { karpenter.sh/provisioner-name: a }\n'],
])('left as it is: %s', async (_name, stdin) => {
  expect(await runCommand(['convert', '-'], { stdin })).toEqual({ code: 0, stdout: stdin, stderr: '' })
})

test('where both names stand, the old one goes', async () => {
  const stdin =
    'apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    karpenter.sh/do-not-evict: "false"\n    karpenter.sh/do-not-disrupt: "true"\n'
  const { stdout } = await runCommand(['convert', '-'], { stdin })
  expect(stdout).toBe(stdin.replace('    karpenter.sh/do-not-evict: "false"\n', ''))
})
