import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { describeWithPeers } from '../support/peers.ts'
import { run } from '../support/run.ts'

const file = join(import.meta.dirname, '../../../manifests/components/alerts/prometheusrule.yaml')
const { spec } = parse(readFileSync(file, 'utf8')) as {
  spec: { groups: readonly { rules: readonly { alert: string }[] }[] }
}
const names = spec.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))

interface Case {
  readonly alert: string
  /** As a controller shows them, one sample a minute; `1x120` is 1 for two hours, `0+60x120` a minute more with each. */
  readonly series: Readonly<Record<string, string>>
  /** When the alert is there, and when it is not yet. */
  readonly fires: string
  readonly notYet: string
  readonly summary: string
}

const cases: readonly Case[] = [
  {
    alert: 'JoineryNotRunning',
    series: { 'karpenter_build_info{version="1"}': '1x30 stale' },
    fires: '50m',
    notYet: '35m',
    summary: 'No controller is scraped',
  },
  {
    alert: 'JoineryWebhookNotReached',
    series: {
      'apiserver_admission_webhook_request_total{name="validation.webhook.joinery.dev",code="200"}': '0+1x60',
      'apiserver_admission_webhook_request_total{name="validation.webhook.joinery.dev",code="503"}': '_x20 1x40',
      'apiserver_admission_webhook_request_total{name="defaulting.webhook.joinery.dev",code="503"}': '7x60',
      'apiserver_admission_webhook_request_total{name="webhook.example.com",code="503"}': '_x20 1x40',
    },
    fires: '22m',
    notYet: '19m',
    summary: 'The API server does not reach validation.webhook.joinery.dev',
  },
  {
    alert: 'JoineryClusterStateNotSynced',
    series: {
      'karpenter_cluster_state_synced{pod="a"}': '0x60',
      'karpenter_cluster_state_synced{pod="b"}': '1x10 0x50',
    },
    fires: '30m',
    notYet: '15m',
    summary: 'The controller does not know the cluster',
  },
  {
    alert: 'JoineryPodsWithoutPlace',
    series: {
      'karpenter_scheduler_unschedulable_pods_count{controller="provisioner"}': '3x60',
      'karpenter_scheduler_unschedulable_pods_count{controller="disruption"}': '9x60',
    },
    fires: '20m',
    notYet: '10m',
    summary: '3 pods fit on no node that could be launched',
  },
  {
    alert: 'JoineryNodePoolNotReady',
    series: {
      'operator_nodepool_status_condition_count{name="a",type="Ready",status="False",reason="NodeClassNotReady"}':
        '1x60',
      'operator_nodepool_status_condition_count{name="b",type="Ready",status="True",reason="Ready"}': '1x60',
    },
    fires: '20m',
    notYet: '10m',
    summary: 'NodePool a is not ready: NodeClassNotReady',
  },
  {
    alert: 'JoineryNodeClassNotReady',
    series: {
      'operator_ec2nodeclass_status_condition_count{name="a",type="Ready",status="Unknown",reason="AwaitingReconciliation"}':
        '1x60',
      'operator_ec2nodeclass_status_condition_count{name="a",type="AMIsReady",status="False",reason="AMINotFound"}':
        '1x60',
    },
    fires: '20m',
    notYet: '10m',
    summary: 'EC2NodeClass a is not ready: AwaitingReconciliation',
  },
  {
    alert: 'JoineryNodePoolNearLimit',
    series: {
      'karpenter_nodepools_usage{nodepool="a",resource_type="cpu"}': '95x60',
      'karpenter_nodepools_limit{nodepool="a",resource_type="cpu"}': '100x60',
      'karpenter_nodepools_usage{nodepool="a",resource_type="memory"}': '95x60',
      'karpenter_nodepools_usage{nodepool="zero",resource_type="cpu"}': '1x60',
      'karpenter_nodepools_limit{nodepool="zero",resource_type="cpu"}': '0x60',
    },
    fires: '20m',
    notYet: '10m',
    summary: 'NodePool a uses 95% of its limit of cpu',
  },
  {
    alert: 'JoineryNodeNotInitialized',
    series: {
      'operator_nodeclaim_status_condition_current_status_seconds{name="c",karpenter_sh_nodepool="a",type="Initialized",status="Unknown",reason="x"}':
        '0+60x120',
      'operator_nodeclaim_status_condition_current_status_seconds{name="d",karpenter_sh_nodepool="a",type="Initialized",status="True",reason="x"}':
        '0+60x120',
    },
    fires: '40m',
    notYet: '30m',
    summary: 'NodeClaim c of NodePool a has no usable node after half an hour',
  },
  {
    alert: 'JoineryNodeDoesNotGo',
    series: { 'operator_nodeclaim_termination_current_time_seconds{name="c",karpenter_sh_nodepool="a"}': '0+60x200' },
    fires: '130m',
    notYet: '120m',
    summary: 'NodeClaim c of NodePool a has been going for two hours',
  },
  {
    alert: 'JoineryNodePoolStalled',
    series: {
      'operator_nodepool_status_condition_count{name="a",type="Stalled",status="True",reason="PDBBlocked"}': '1x60',
    },
    fires: '35m',
    notYet: '25m',
    summary: 'The nodes of NodePool a cannot be replaced: PDBBlocked',
  },
  {
    alert: 'JoineryCircuitBreakerOpen',
    series: { 'joinery_circuit_breaker_open{nodepool="a",reason="LaunchFailed"}': '0x10 1x50' },
    fires: '17m',
    notYet: '12m',
    summary: 'New nodes of NodePool a keep failing: LaunchFailed',
  },
  {
    alert: 'JoineryRolloutFailed',
    series: {
      'joinery_rollout_phase{rolloutpolicy="p",phase="Halted"}': '0x10 1x50',
      'joinery_rollout_phase{rolloutpolicy="p",phase="Progressing"}': '1x10 0x50',
    },
    fires: '12m',
    notYet: '9m',
    summary: 'RolloutPolicy p: Halted',
  },
  {
    alert: 'JoineryRolloutAwaitsApproval',
    series: { 'joinery_rollout_phase{rolloutpolicy="p",phase="AwaitingApproval"}': '1x120' },
    fires: '70m',
    notYet: '50m',
    summary: 'RolloutPolicy p waits for an approval',
  },
]

await describeWithPeers('the alerts, by a real Prometheus', ['promtool'], () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-alerts-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const rules = join(folder, 'rules.yaml')
  writeFileSync(rules, stringify(spec))

  test('it takes them', async () => {
    const { code, stdout } = await run('promtool', ['check', 'rules', rules])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`SUCCESS: ${names.length} rules found`)])
  })

  test('each has a case', () => {
    expect(cases.map(({ alert }) => alert)).toEqual(names)
  })

  test.each(cases)('$alert fires when it should, and not before', async ({ alert, series, fires, notYet, summary }) => {
    const firing = await firingAt(alert, series, fires)
    expect(firing).toContain(`summary="${summary}"`)
    expect(firing.match(/alertname=/g)).toHaveLength(1)
    expect(await firingAt(alert, series, notYet)).toBe('[]')
  })

  /** The alerts of that name which a Prometheus sees after so long, in promtool's words: it tells them where none were expected. */
  async function firingAt(alertname: string, series: Case['series'], evalTime: string): Promise<string> {
    const path = join(folder, `${alertname}-${evalTime}.yaml`)
    const test = {
      interval: '1m',
      input_series: Object.entries(series).map(([each, values]) => ({ series: each, values })),
      alert_rule_test: [{ eval_time: evalTime, alertname, exp_alerts: [{ exp_labels: { severity: 'none such' } }] }],
    }
    writeFileSync(path, stringify({ rule_files: [rules], evaluation_interval: '1m', tests: [test] }))
    const { stdout, stderr } = await run('promtool', ['test', 'rules', path])
    const [, got = 'promtool tells of no alerts'] =
      /got:\s*(\[[\s\S]*?\])\s*$/.exec(`${stdout}\n${stderr}`.trimEnd()) ?? []
    return got
  }
})
