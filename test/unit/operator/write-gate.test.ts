import { expect, test } from 'vitest'
import type { AWSClients } from '../../../src/cloud/aws/clients.ts'
import type { Leadership } from '../../../src/kube/leader-election.ts'
import { fenceAWS, WriteGate } from '../../../src/operator/write-gate.ts'

function leadership(holds: () => boolean): Leadership {
  return { lost: new AbortController().signal, holds, release: () => Promise.resolve() }
}

function anAccount() {
  const calls: string[] = []
  const call = (name: string) => () => {
    calls.push(name)
    return Promise.resolve({})
  }
  const ec2 = {
    describeInstances: call('describeInstances'),
    createFleet: call('createFleet'),
    runInstances: call('runInstances'),
  }
  return { calls, clients: { region: 'us-west-2', ec2 } as unknown as AWSClients }
}

test('writes wait for leadership and end with it; reads and dry runs always pass', async () => {
  const { calls, clients } = anAccount()
  const gate = new WriteGate('act')
  const fenced = fenceAWS(clients, gate.refusal)
  let holds = true
  await fenced.ec2.describeInstances({})
  await fenced.ec2.runInstances({ MinCount: 1, MaxCount: 1, DryRun: true })
  await expect(fenced.ec2.createFleet({} as never)).rejects.toMatchObject({ code: 'NotLeader' })
  gate.open(leadership(() => holds))
  await fenced.ec2.createFleet({} as never)
  holds = false
  await expect(fenced.ec2.createFleet({} as never)).rejects.toMatchObject({ code: 'NotLeader' })
  expect(calls).toEqual(['describeInstances', 'runInstances', 'createFleet'])
  expect(fenced.region).toBe('us-west-2')
})

test('without an election the gate is open once it is opened, until it is closed', () => {
  const gate = new WriteGate('act')
  expect(gate.refusal('x')).toBeDefined()
  gate.open()
  expect(gate.refusal('x')).toBeUndefined()
  gate.close()
  expect(gate.refusal('x')).toBeDefined()
})

test('an observer never writes', () => {
  const gate = new WriteGate('observe')
  gate.open()
  expect(gate.refusal('createFleet')).toMatchObject({ code: 'Observing' })
})
