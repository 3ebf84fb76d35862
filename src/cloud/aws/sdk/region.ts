import type { Environment } from './sdk-config.ts'

/** The instance metadata service, version 2. */
const metadataEndpoint = 'http://169.254.169.254'
const timeoutMs = 2_000

class RegionError extends Error {
  readonly code = 'Region'
  constructor(cause: unknown) {
    super('no AWS region is configured, and the instance metadata service does not tell one', { cause })
    this.name = 'RegionError'
  }
}

/** AWS's older tools read the second name, its SDK for JavaScript only the first, Karpenter both. */
export function regionFromEnvironment(env: Environment = {}): string | undefined {
  return [env['AWS_REGION'], env['AWS_DEFAULT_REGION']].find((region) => region !== undefined && region !== '')
}

/** @throws RegionError outside EC2 */
export async function regionFromMetadata(
  endpoint: string = metadataEndpoint,
  fetcher: typeof fetch = fetch,
): Promise<string> {
  const metadataURL = `${endpoint.replace(/\/+$/, '')}/latest`
  try {
    const token = await text(
      await fetcher(`${metadataURL}/api/token`, {
        method: 'PUT',
        headers: { 'X-aws-ec2-metadata-token-ttl-seconds': '60' },
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )
    return await text(
      await fetcher(`${metadataURL}/meta-data/placement/region`, {
        headers: { 'X-aws-ec2-metadata-token': token },
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )
  } catch (error) {
    throw new RegionError(error)
  }
}

async function text(response: Response): Promise<string> {
  if (!response.ok) throw new Error(`the instance metadata service answered ${response.status}`)
  return (await response.text()).trim()
}
