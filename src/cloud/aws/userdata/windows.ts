import type { UserDataInputs } from './inputs.ts'
import { kubeletFlags } from './kubelet-flags.ts'
import { singleQuoted } from './quote.ts'

export function windowsUserData(inputs: UserDataInputs): string {
  const dns = inputs.kubelet.clusterDNS?.[0]
  const flags = kubeletFlags(inputs).join(' ')
  const command = [
    `& $EKSBootstrapScriptFile -EKSClusterName ${singleQuoted('cluster name', inputs.clusterName)}`,
    `-APIServerEndpoint ${singleQuoted('cluster endpoint', inputs.clusterEndpoint)}`,
    ...(inputs.caBundle === '' ? [] : [`-Base64ClusterCA ${singleQuoted('CA bundle', inputs.caBundle)}`]),
    ...(flags === '' ? [] : [`-KubeletExtraArgs ${singleQuoted('kubelet flags', flags)}`]),
    ...(dns === undefined ? [] : [`-DNSClusterIP ${singleQuoted('clusterDNS', dns)}`]),
  ].join(' ')
  return [
    '<powershell>',
    ...(inputs.customUserData === undefined || inputs.customUserData === '' ? [] : [inputs.customUserData]),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    command,
    '</powershell>',
  ].join('\n')
}
