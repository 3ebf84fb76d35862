import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { spotRoleCreationRefused } from '../../../../src/cloud/aws/errors.ts'
import { aNodeClassWorld } from '../../../support/node-class-world.ts'

const root = new URL('../../../../', import.meta.url)
const text = (path: string) => readFileSync(new URL(path, root), 'utf8')

interface Statement {
  readonly Sid: string
  readonly Effect: string
  readonly Action: string[]
  readonly Resource: string[]
  readonly Condition?: Record<string, Record<string, unknown>>
}

const statements = (file: string): Statement[] => JSON.parse(text(`manifests/iam/${file}`)).Statement
const actionsOf = (...files: string[]) =>
  [...new Set(files.flatMap((file) => statements(file).flatMap((statement) => statement.Action)))].sort()
const granted = actionsOf('controller-policy.json', 'zonal-shift-policy.json')

/** Granted for what another call does. */
const implied: Record<string, string> = {
  'iam:PassRole': 'ec2:CreateFleet',
  'iam:TagInstanceProfile': 'iam:CreateInstanceProfile',
}
/** Calls that need no permission. */
const free = ['sts:GetCallerIdentity']

/** `service:Action` of every method of the AWS port, by the interface it stands in. */
function portActions(): string[] {
  const services: Record<string, string> = {
    EC2Client: 'ec2',
    SSMClient: 'ssm',
    IAMClient: 'iam',
    SQSClient: 'sqs',
    PricingClient: 'pricing',
    EKSClient: 'eks',
    STSClient: 'sts',
    ZonalShiftClient: 'arc-zonal-shift',
  }
  const source = text('src/cloud/aws/clients.ts')
  return Object.entries(services).flatMap(([name, service]) => {
    const body = new RegExp(`interface ${name} \\{([\\s\\S]*?)\\n\\}`).exec(source)?.[1] ?? ''
    return [...body.matchAll(/^ {2}(\w+):/gm)].map(
      ([, method = '']) => `${service}:${method.charAt(0).toUpperCase()}${method.slice(1)}`,
    )
  })
}

function sourcesBelow(folder: string): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('sdk/') && !path.endsWith('clients.ts'))
    .map((path) => text(`${folder}/${path}`))
}

describe("the controller's policy", () => {
  test('grants every call of the code, and nothing that is neither called nor implied', () => {
    const called = portActions().filter((action) => !free.includes(action))
    expect(called.length).toBeGreaterThan(25)
    expect([...called, ...Object.keys(implied)].sort()).toEqual(granted)
    for (const cause of Object.values(implied)) expect(called).toContain(cause)
  })

  test('every method of the port is really called', () => {
    const code = ['src/cloud/aws', 'src/controllers/aws', 'src/controllers/nodeclass', 'src/controllers/interruption']
      .flatMap(sourcesBelow)
      .join('\n')
    for (const action of portActions()) {
      const name = action.slice(action.indexOf(':') + 1)
      expect(code).toContain(`.${name.charAt(0).toLowerCase()}${name.slice(1)}(`)
    }
  })

  test('uses a wildcard resource only where AWS knows no narrower one', () => {
    const open = statements('controller-policy.json').filter((statement) => statement.Resource.includes('*'))
    expect(
      open.flatMap((statement) => statement.Action).filter((action) => !action.startsWith('ec2:Describe')),
    ).toEqual(['pricing:GetProducts', 'iam:ListInstanceProfiles'])
    expect(granted.filter((action) => action.includes('*'))).toEqual([])
  })

  test('creates and destroys only under ownership tags', () => {
    for (const { Action, Resource, Condition } of statements('controller-policy.json')) {
      const writes = Action.filter(
        (action) => /:(Create|Delete|Terminate|Add|Remove|Tag)/.test(action) && !/DeleteMessage/.test(action),
      )
      const shared = Resource.every((resource) =>
        /:(image|snapshot|security-group|subnet|capacity-reservation|placement-group)\/\*$/.test(resource),
      )
      if (writes.length === 0 || shared) continue
      expect(JSON.stringify(Condition)).toContain('kubernetes.io/cluster/${CLUSTER_NAME}":"owned"')
    }
  })

  test('what a class and a launch do at AWS is within it', async () => {
    const world = await aNodeClassWorld()
    await world.create()
    for (const name of new Set(world.calls.map((call) => call.name))) {
      if (!free.includes(name)) expect(granted).toContain(name)
    }
  })
})

describe('docs/iam.md', () => {
  const page = text('docs/iam.md')
  const needless = page.slice(page.indexOf('## What it does not need'))

  test('names every action of the policies', () => {
    for (const action of granted) expect(page).toContain(`\`${action}\``)
  })

  test('names what copied policies grant needlessly, and the policies do not grant it', () => {
    const wanted = [
      'ec2:DescribeVpcs',
      'ec2:DescribeLaunchTemplateVersions',
      'ec2:DescribeAvailabilityZones',
      'ec2:DeleteTags',
      'ssm:GetParameters',
      'ssm:GetParametersByPath',
      'iam:CreateServiceLinkedRole',
    ]
    for (const action of wanted) {
      expect(needless).toContain(`\`${action}\``)
      expect(granted).not.toContain(action)
    }
  })

  test('says how to get the role without which spot is refused, and so does whoever looks for that refusal', () => {
    const command = 'aws iam create-service-linked-role --aws-service-name spot.amazonaws.com'
    expect(page).toContain(command)
    const troubleshooting = text('docs/troubleshooting.md')
    expect(troubleshooting).toContain(command)
    expect(troubleshooting).toContain(`\`${spotRoleCreationRefused}\``)
  })

  test('binds the role to the account of the controller, as whoever comes from Karpenter is told before anything is installed', () => {
    const [, account] =
      /^kind: ServiceAccount\nmetadata:\n {2}name: (\S+)$/m.exec(text('manifests/base/joinery.yaml')) ?? []
    expect(account).toBe('joinery')
    expect(page).toContain('--namespace kube-system --service-account joinery')
    for (const file of ['README.md', 'docs/running.md']) {
      const [, section = ''] = text(file).split(/^#+ From Karpenter$/m)
      const before = section.slice(0, section.search(/controller\.observe|--observe/))
      expect(before).toContain('kube-system/joinery')
      expect(before).toContain('iam.md#putting-them-to-use')
    }
    expect(page).toContain('\n## Putting them to use\n')
  })

  test('the rules of the queue are those that messages are read of', () => {
    const rules: { EventPattern: { source: string[]; 'detail-type': string[] } }[] = JSON.parse(
      text('manifests/iam/interruption-rules.json'),
    )
    const parsers = text('src/controllers/interruption/messages.ts')
    const keys = [...parsers.matchAll(/'0\/([^/']+)\/([^']+)'/g)].map(([, source, type]) => `${source}/${type}`)
    expect(
      rules.map(({ EventPattern }) => `${EventPattern.source[0]}/${EventPattern['detail-type'][0]}`).sort(),
    ).toEqual(keys.sort())
  })
})
