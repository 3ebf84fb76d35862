import { expect, test } from 'vitest'
import { parseUserData } from '../../../../src/embedded/kubelet/user-data.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

const al2023 = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
echo hello

--//
Content-Type: application/node.eks.aws

# Karpenter Generated NodeConfig
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster:
    name: demo
  instance:
    localStorage: {strategy: RAID0}
  kubelet:
    config:
      clusterDNS:
      - 172.20.0.10
      kubeReserved:
        cpu: 90m
        memory: 600Mi
      evictionHard:
        memory.available: 5%
      maxPods: 29
      podsPerCore: 10
      registerWithTaints:
      - effect: NoSchedule
        key: dedicated
        value: web
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=spot,team=core"

--//--
`

/** What both kinds of Amazon Linux are asked for here. */
const asked = {
  taints: [
    { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
    { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
  ],
  maxPods: 29,
  podsPerCore: 10,
  reservesFor: 'addresses',
  kubeReserved: { cpu: '90m', memory: '600Mi' },
  evictionHard: { 'memory.available': '5%' },
  localStorage: true,
}

test("AL2023's NodeConfig is found in MIME", () => {
  expect(parseUserData(base64(al2023))).toEqual({
    labels: { 'karpenter.sh/capacity-type': 'spot', team: 'core' },
    ...asked,
    systemReserved: {},
  })
})

test("AL2's kubelet arguments are read", () => {
  const text = `#!/bin/bash -xe
/etc/eks/bootstrap.sh 'demo' --apiserver-endpoint 'https://api.demo.example' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="karpenter.sh/nodepool=web,team=core" --register-with-taints="dedicated=web:NoSchedule,karpenter.sh/unregistered:NoExecute" --max-pods=29 --pods-per-core=10 --kube-reserved="cpu=90m,memory=600Mi" --eviction-hard="memory.available<5%"' \\
--local-disks raid0`
  expect(parseUserData(base64(text))).toMatchObject({
    labels: { 'karpenter.sh/nodepool': 'web', team: 'core' },
    ...asked,
  })
})

test("Bottlerocket's settings are read", () => {
  const text = `[settings.kubernetes]
api-server = 'https://api.demo.example'
max-pods = 29
[settings.kubernetes.node-labels]
'karpenter.sh/capacity-type' = 'spot'
[settings.kubernetes.kube-reserved]
cpu = '90m'
[settings.kubernetes.node-taints]
dedicated = ['web:NoSchedule']
'karpenter.sh/unregistered' = [':NoExecute']
`
  expect(parseUserData(base64(text))).toMatchObject({
    labels: { 'karpenter.sh/capacity-type': 'spot' },
    taints: [
      { key: 'dedicated', value: 'web', effect: 'NoSchedule' },
      { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
    ],
    maxPods: 29,
    reservesFor: 'pods',
    kubeReserved: { cpu: '90m' },
  })
})

test("Windows' kubelet arguments are read", () => {
  const text = `<powershell>
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'demo' -KubeletExtraArgs '--node-labels="team=core" --max-pods=110'
</powershell>`
  expect(parseUserData(base64(text))).toMatchObject({ labels: { team: 'core' }, maxPods: 110, reservesFor: 'pods' })
})

test('text that says nothing of a kubelet gives nothing', () => {
  expect(parseUserData(base64('#!/bin/bash\necho hi\n'))).toMatchObject({ labels: {}, taints: [], localStorage: false })
  expect(parseUserData('').maxPods).toBeUndefined()
})
