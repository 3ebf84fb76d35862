import { beforeAll, expect, test } from 'vitest'
import { type ExchangeRequest, type ExchangeResponse, play } from '../../contracts/api-server/exchange.ts'
import { recordedMinor, recordingPath, recordingText } from '../../contracts/api-server/recording.ts'
import { scenarios } from '../../contracts/api-server/scenarios.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'
import { warningTexts } from '../support/warnings.ts'

await describeWithPeers('a real API server answers as recorded', ['kube-apiserver'], () => {
  const controlPlane = useControlPlane()
  let minor = ''
  beforeAll(async () => {
    minor = ((await controlPlane().request('GET', '/version')).body as { minor: string }).minor
    await installCRDs(controlPlane())
  })

  const alone = scenarios.filter(({ serviceAccounts }) => serviceAccounts === undefined)

  // `vitest run --project peers -u` records anew; review the change like code.
  test.each(alone.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const answers = await play(scenario, sendTo(controlPlane))
    if (minor === recordedMinor) await expect(recordingText(answers)).toMatchFileSnapshot(recordingPath(scenario))
    else expect(Object.keys(answers)).toEqual(Object.keys(scenario.steps))
  })
})

await describeWithPeers(
  'a real API server beside its controllers answers as recorded',
  ['kube-apiserver', 'kube-controller-manager'],
  () => {
    const controlPlane = useControlPlane({ controllerManager: {} })
    const together = scenarios.filter(({ serviceAccounts }) => serviceAccounts === 'admitted')

    test.each(together.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
      const account = '/api/v1/namespaces/default/serviceaccounts/default'
      await eventually('there is an account', async () => (await controlPlane().request('GET', account)).status === 200)
      const { minor } = (await controlPlane().request('GET', '/version')).body as { minor: string }
      const answers = await play(scenario, sendTo(controlPlane))
      if (minor === recordedMinor) await expect(recordingText(answers)).toMatchFileSnapshot(recordingPath(scenario))
      else expect(Object.keys(answers)).toEqual(Object.keys(scenario.steps))
    })
  },
)

function sendTo(controlPlane: () => ControlPlane) {
  return async (request: ExchangeRequest): Promise<ExchangeResponse> => {
    const { status, body, headers } = await controlPlane().request(
      request.method,
      request.path,
      request.body,
      request.contentType,
    )
    return { status, body, warnings: warningTexts(headers) }
  }
}
