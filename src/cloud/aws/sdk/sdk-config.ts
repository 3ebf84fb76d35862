import { readFileSync } from 'node:fs'
import { messageOf } from '../../../api/error-text.ts'
import type { AWSService } from './rate-limits.ts'

export interface SDKOptions {
  /** Else what the SDK finds in its environment and configuration, else the instance's own region. */
  readonly region?: string
  /** Base URL of the instance metadata service, where it is not at its usual address. */
  readonly metadataEndpoint?: string
  /** Base URL by service, for tests and private endpoints; the SDK also reads AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_<SERVICE>. */
  readonly endpoints?: Partial<Record<AWSService, string>>
  /** Of this program, for the user agent. */
  readonly version: string
  /** The process's. Of it HTTPS_PROXY, NO_PROXY and AWS_CA_BUNDLE are heeded, as by Karpenter. */
  readonly env?: Environment
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Settings that the SDK's clients share. Credentials come from the SDK's default chain. */
export interface ClientConfig {
  readonly region: string
  readonly endpoint?: string
  readonly customUserAgent: string
  readonly requestHandler: {
    readonly requestTimeout: number
    readonly throwOnRequestTimeout: true
    readonly connectionTimeout: number
    readonly httpsAgent: {
      readonly keepAlive: true
      readonly maxSockets: number
      readonly proxyEnv?: Environment
      readonly ca?: string
    }
    readonly httpAgent: { readonly keepAlive: true; readonly maxSockets: number }
  }
}

/** A hundred batches and ten reconciles may run at once. */
const socketsMax = 200
/** Of one HTTP request. Karpenter's. */
export const requestTimeoutMs = 4 * 60_000
const connectionTimeoutMs = 5_000

/** @throws CABundleError */
export function clientConfig(service: AWSService, region: string, options: SDKOptions): ClientConfig {
  const endpoint = options.endpoints?.[service]
  const agent = { keepAlive: true, maxSockets: socketsMax } as const
  return {
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    customUserAgent: `karpenter.sh-${options.version}`,
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      // Without it the SDK only warns, and not in our log.
      throwOnRequestTimeout: true,
      connectionTimeout: connectionTimeoutMs,
      // What is asked over plain HTTP stands beside us: a stand-in for AWS, the agent that has the credentials.
      httpsAgent: { ...agent, ...(options.env === undefined ? {} : ofEnvironment(options.env)) },
      httpAgent: agent,
    },
  }
}

/** What AWS_CA_BUNDLE names cannot be read. */
export class CABundleError extends Error {
  readonly code = 'CABundle'
  override readonly name = 'CABundleError'
}

/** Whom the bundle does not name is not trusted, as by every AWS SDK that reads it; JavaScript's does not. */
function ofEnvironment(env: Environment): { readonly proxyEnv: Environment; readonly ca?: string } {
  const path = env['AWS_CA_BUNDLE'] ?? ''
  if (path === '') return { proxyEnv: env }
  try {
    return { proxyEnv: env, ca: readFileSync(path, 'utf8') }
  } catch (error) {
    throw new CABundleError(`AWS_CA_BUNDLE, ${messageOf(error)}`, { cause: error })
  }
}
