import { beforeAll, expect, test } from 'vitest'
import { type ExchangeRequest, type ExchangeResponse, play } from '../../contracts/api-server/exchange.ts'
import { recordedMinor, recordingPath, recordingText } from '../../contracts/api-server/recording.ts'
import { scenarios } from '../../contracts/api-server/scenarios.ts'
import { installCRDs } from '../support/crds.ts'
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

  // `vitest run --project peers -u` records anew; review the change like code.
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const answers = await play(scenario, send)
    if (minor === recordedMinor) await expect(recordingText(answers)).toMatchFileSnapshot(recordingPath(scenario))
    else expect(Object.keys(answers)).toEqual(Object.keys(scenario.steps))
  })

  async function send(request: ExchangeRequest): Promise<ExchangeResponse> {
    const { status, body, headers } = await controlPlane().request(
      request.method,
      request.path,
      request.body,
      request.contentType,
    )
    return { status, body, warnings: warningTexts(headers) }
  }
})
