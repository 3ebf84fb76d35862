import { isIPv6 } from '../eks-cluster/ip-family.ts'
import type { UserDataInputs } from './inputs.ts'
import { kubeletFlags } from './kubelet-flags.ts'
import { cloudInitType, isMime, type MimePart, readMime, writeMime } from './mime.ts'
import { singleQuoted } from './quote.ts'

/** The user's parts first, then EKS's bootstrap script. */
export function al2UserData(inputs: UserDataInputs): string {
  return writeMime([...customParts(inputs.customUserData), toPart(bootstrapScript(inputs))])
}

function customParts(custom: string | undefined): MimePart[] {
  if (custom === undefined || custom === '') return []
  return isMime(custom) ? readMime(custom) : [toPart(custom)]
}

function toPart(content: string): MimePart {
  return { headers: [`Content-Type: ${cloudInitType(content)}`], content }
}

function bootstrapScript(inputs: UserDataInputs): string {
  const dns = inputs.kubelet.clusterDNS?.[0]
  const ca = inputs.caBundle === '' ? '' : `--b64-cluster-ca ${singleQuoted('CA bundle', inputs.caBundle)}`
  const flags = kubeletFlags(inputs).join(' ')
  const options = [
    `/etc/eks/bootstrap.sh ${singleQuoted('cluster name', inputs.clusterName)} --apiserver-endpoint ${singleQuoted('cluster endpoint', inputs.clusterEndpoint)} ${ca}`,
    ...(dns !== undefined && isIPv6(dns) ? ['--ip-family ipv6'] : []),
    ...(dns === undefined ? [] : [`--dns-cluster-ip ${singleQuoted('clusterDNS', dns)}`]),
    '--use-max-pods false',
    ...(flags === '' ? [] : [`--kubelet-extra-args ${singleQuoted('kubelet flags', flags)}`]),
    ...(inputs.raid0 ? ['--local-disks raid0'] : []),
  ]
  return [
    '#!/bin/bash -xe',
    'exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1',
    options.join(' \\\n'),
  ].join('\n')
}
