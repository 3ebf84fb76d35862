import { describe, expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const run = (command: string, stdin: string, ...args: string[]) => runCommand([command, '-f', '-', ...args], { stdin })

describe('what is no object of the kinds that are judged', () => {
  const leftAlone: Record<string, string> = {
    'another kind': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
    'instance types, which are read from files':
      'apiVersion: joinery.dev/v1alpha1\nkind: InstanceTypeCatalog\nmetadata: {name: a}\ninstanceTypes: []\n',
    'a kind of the same name of somebody else': 'apiVersion: example.com/v1\nkind: NodePool\nmetadata: {name: a}\n',
    'a kind of somebody else in a group like ours':
      'apiVersion: karpenter.k8s.gcp/v1\nkind: NodeClass\nmetadata: {name: a}\n',
    'values of a chart': 'replicas: 3\n',
    'a JSON patch': '- op: replace\n  path: /spec/weight\n  value: 3\n',
  }
  test.each(Object.entries(leftAlone))('is left alone: %s', async (_name, text) => {
    expect(await run('validate', text)).toEqual({
      code: 0,
      stdout: '1 document, 0 refused, 0 warnings, 1 of kinds that are not known here\n',
      stderr: '',
    })
    expect((await run('validate', text, '--strict')).code).toBe(1)
    expect(await run('hash', text)).toEqual({
      code: 0,
      stdout: '',
      stderr: 'warning: -: holds no NodePool and no EC2NodeClass: there is nothing to hash\n',
    })
  })

  test('a list of manifests is none of these: a pool in it would never be looked at', async () => {
    const text = '- apiVersion: karpenter.sh/v1\n  kind: NodePool\n  metadata: {name: a}\n'
    for (const command of ['validate', 'hash']) {
      const { code, stdout, stderr } = await run(command, text)
      expect([code, `${stdout}${stderr}`]).toEqual([
        1,
        expect.stringContaining('-:1:3: no tool reads a list of manifests'),
      ])
    }
  })

  const refused: Record<string, [text: string, message: string, fix: string]> = {
    'an old version': [
      'apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: a}\n',
      'no matches for kind "NodePool" in version "karpenter.sh/v1beta1"',
      'Run joinery convert on the file.',
    ],
    'a version with nothing to convert to': [
      'apiVersion: karpenter.sh/v1alpha5\nkind: Machine\nmetadata: {name: a}\n',
      'no matches for kind "Machine" in version "karpenter.sh/v1alpha5"',
      'Karpenter made the Machines and makes NodeClaims instead: it belongs to no manifest, remove it.',
    ],
    'a version that came before those that can be converted': [
      'apiVersion: karpenter.sh/v1alpha3\nkind: Provisioner\nmetadata: {name: a}\n',
      'no matches for kind "Provisioner" in version "karpenter.sh/v1alpha3"',
      'Of kind Provisioner only karpenter.sh/v1alpha5 can be converted: bring it to that version first.',
    ],
    'a kind in small letters': [
      'apiVersion: karpenter.sh/v1\nkind: nodepools\nmetadata: {name: a}\n',
      'no matches for kind "nodepools" in version "karpenter.sh/v1"',
      'Write apiVersion: karpenter.sh/v1 and kind: NodePool.',
    ],
    'a kind in the wrong group': [
      'apiVersion: karpenter.sh/v1\nkind: EC2NodeClass\nmetadata: {name: a}\n',
      'no matches for kind "EC2NodeClass" in version "karpenter.sh/v1"',
      'Write apiVersion: karpenter.k8s.aws/v1 and kind: EC2NodeClass.',
    ],
    'a group with a letter less': [
      'apiVersion: karpenter.k8s.aw/v1\nkind: EC2NodeClass\nmetadata: {name: a}\n',
      'no matches for kind "EC2NodeClass" in version "karpenter.k8s.aw/v1"',
      'Write apiVersion: karpenter.k8s.aws/v1 and kind: EC2NodeClass.',
    ],
    'a group of Kubernetes itself': [
      'apiVersion: v1\nkind: NodePool\nmetadata: {name: a}\n',
      'no matches for kind "NodePool" in version "v1"',
      'Write apiVersion: karpenter.sh/v1 and kind: NodePool.',
    ],
    'a kind with a letter less': [
      'apiVersion: karpenter.sh/v1\nkind: NodePol\nmetadata: {name: a}\n',
      'no matches for kind "NodePol" in version "karpenter.sh/v1"',
      'Did you mean apiVersion: karpenter.sh/v1 and kind: NodePool?',
    ],
    'a kind by half its name, which another is more like': [
      'apiVersion: karpenter.k8s.aws/v1\nkind: NodeClass\nmetadata: {name: a}\n',
      'no matches for kind "NodeClass" in version "karpenter.k8s.aws/v1"',
      'Write apiVersion: karpenter.k8s.aws/v1 and kind: EC2NodeClass.',
    ],
    'a version of our own policy that there is not': [
      'apiVersion: joinery.dev/v1\nkind: RolloutPolicy\nmetadata: {name: a}\n',
      'no matches for kind "RolloutPolicy" in version "joinery.dev/v1"',
      'Write apiVersion: joinery.dev/v1alpha1 and kind: RolloutPolicy.',
    ],
    'no apiVersion': [
      'kind: NodePool\nmetadata: {name: a}\n',
      'apiVersion not set',
      'Write apiVersion: karpenter.sh/v1 and kind: NodePool.',
    ],
  }
  test.each(Object.entries(refused))(
    'is refused where it is meant to be one: %s',
    async (_name, [text, message, fix]) => {
      const { stdout, code } = await run('validate', text)
      expect([code, ...stdout.split('\n').slice(0, 2)]).toEqual([
        1,
        expect.stringMatching(
          new RegExp(`^-:1:1 \\w+/a apiVersion: ${message.replaceAll('.', '\\.')} \\(unknown-kind\\)$`),
        ),
        `    fix: ${fix}`,
      ])
      const hash = await run('hash', text)
      expect([hash.code, hash.stdout]).toEqual([1, ''])
      expect(hash.stderr).toContain(`${message}. ${fix}`)
    },
  )
})

test('an object of our groups without a kind is refused, and nobody guesses which it is', async () => {
  const text = 'apiVersion: karpenter.sh/v1\nmetadata: {name: a}\n'
  expect(await run('validate', text)).toEqual({
    code: 1,
    stdout: '-:1:1 apiVersion: kind not set (unknown-kind)\n1 document, 1 refused, 0 warnings\n',
    stderr: '',
  })
  expect(await run('hash', text)).toEqual({ code: 1, stdout: '', stderr: '-:1:1 /a apiVersion: kind not set\n' })
})

test('what a name holds never makes a line of its own, which a CI system could take for a command', async () => {
  const name = JSON.stringify('a\n::stop-commands::x\u001b[2J')
  const pool = (apiVersion: string, spec: string) =>
    `apiVersion: karpenter.sh/${apiVersion}\nkind: NodePool\nmetadata: {name: ${name}}\nspec: ${spec}\n`
  const template =
    '{template: {spec: {nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: x}, requirements: []}}}'
  for (const [command, text] of [
    ['validate', pool('v1', '{}')],
    ['hash', pool('v1', '{}')],
    ['hash', pool('v1', template)],
    ['convert', pool('v1beta1', '{}')],
  ] as const) {
    const { stdout, stderr } = await run(command, text)
    const said = command === 'convert' ? stderr : stdout + stderr
    expect(said).toContain('NodePool/a?::stop-commands::x?[2J')
    expect(said).not.toMatch(/^::/m)
    expect(said).not.toContain('\u001b')
  }
})
