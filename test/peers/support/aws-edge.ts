import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type FleetPool, refusedFleet, splitFleet, withoutInstances, withFleetErrors } from './ec2-wire.ts'

/** What happens to a call instead of, before or after moto's answer. */
export type Fault =
  | { readonly kind: 'error'; readonly status: number; readonly code: string; readonly message?: string }
  /** An answer that is not the service's: a proxy's error page. */
  | { readonly kind: 'page'; readonly status: number }
  /** The connection breaks before the call arrives. */
  | { readonly kind: 'reset' }
  /** The call has its effect, and the connection breaks before the answer arrives. */
  | { readonly kind: 'lost answer' }
  | { readonly kind: 'slow'; readonly ms: number }
  /** A good answer of a service that moto does not have, or of things that do not happen in moto. */
  | {
      readonly kind: 'answer'
      readonly type: 'application/x-amz-json-1.1' | 'text/xml'
      /** To the call's own body. */
      readonly body: (call: string) => string
    }

interface Rule {
  /** `CreateFleet`, `CreateFleet dry run`, or `*` for every action. */
  readonly action: string
  readonly fault: Fault
  /** How many calls it befalls; those rules that were added first come first. */
  readonly times: number
  /** What the call's body has to contain. */
  readonly about?: string
}

interface SeenCall {
  readonly action: string
  readonly body: string
  /** Of who signed it. */
  readonly accessKey: string
  /** When it was signed, in ms since the epoch; whole seconds. */
  readonly signedAt: number
  readonly fault?: Fault['kind']
  /** Of moto's answer, once there is one. */
  status?: number
}

/**
 * Stands between an operator and moto. It passes everything on but what its rules say, and adds three things in which moto differs
 * from AWS: a repeated CreateFleet with the same client token has no second effect, capacity pools may be empty, and new instances
 * may not show up in DescribeInstances for a while.
 */
export interface AWSEdge {
  readonly endpoint: string
  readonly calls: readonly SeenCall[]
  callsOf(action: string): readonly SeenCall[]
  /** From now on, until its times are used up. */
  add(...rules: readonly Rule[]): void
  /** Ends all rules for an action. */
  drop(action: string): void
  /** How many faults of the rules are still to come, endless ones left out. */
  pending(): number
  /** From now on calls signed with access keys that begin so are refused as expired. */
  expire(accessKeys: string): void
  /** Pools without capacity, as `c5.large` or `c5.large/us-east-1a`. */
  empty(...pools: readonly string[]): void
  /** How long a new instance stays out of sight. */
  hideNew(ms: number): void
  /** How many instances are out of sight now. */
  hidden(): number
  stop(): Promise<void>
}

export async function startAWSEdge(target: string): Promise<AWSEdge> {
  const state: State = {
    target,
    calls: [],
    rules: [],
    expired: undefined,
    empty: [],
    hideMs: 0,
    launched: new Map(),
    fleets: new Map(),
  }
  const server = createServer((request, response) => {
    void handle(state, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    calls: state.calls,
    callsOf: (action) => state.calls.filter((call) => call.action === action),
    add: (...rules) => void state.rules.push(...rules.map((rule) => ({ ...rule }))),
    pending: () => state.rules.reduce((sum, { times }) => sum + (times === Infinity ? 0 : times), 0),
    drop: (action) => {
      for (const rule of state.rules) if (rule.action === action) rule.times = 0
    },
    expire: (accessKeys) => {
      state.expired = accessKeys
    },
    empty: (...pools) => {
      state.empty = pools
    },
    hideNew: (ms) => {
      state.hideMs = ms
    },
    hidden: () => hiddenOf(state).length,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface State {
  readonly target: string
  readonly calls: SeenCall[]
  readonly rules: { action: string; fault: Fault; times: number; about?: string }[]
  expired: string | undefined
  empty: readonly string[]
  hideMs: number
  /** When each instance was launched. */
  readonly launched: Map<string, number>
  /** Answers of CreateFleet by client token. */
  readonly fleets: Map<string, Answer>
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array))
  const body = Buffer.concat(chunks).toString('utf8')
  const action = actionOf(request, body)
  const accessKey = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const signedAt = signingTime(request.headers['x-amz-date'])
  if (state.expired !== undefined && accessKey.startsWith(state.expired)) {
    state.calls.push({ action, body, accessKey, signedAt, fault: 'error' })
    send(response, refusal(request, { status: 400, code: expiredCode(request) }))
    return
  }
  const rule = state.rules.find(
    (each) => each.times > 0 && (each.action === action || each.action === '*') && body.includes(each.about ?? ''),
  )
  if (rule !== undefined) rule.times -= 1
  const fault = rule?.fault
  const call: SeenCall = {
    action,
    body,
    accessKey,
    signedAt,
    ...(fault === undefined ? {} : { fault: fault.kind }),
  }
  state.calls.push(call)
  switch (fault?.kind) {
    case 'reset':
      request.socket.destroy()
      return
    case 'error':
      send(response, refusal(request, fault))
      return
    case 'answer':
      send(response, { status: 200, type: fault.type, body: fault.body(body) })
      return
    case 'page':
      send(response, { status: fault.status, type: 'text/html', body: '<html><body>no luck</body></html>' })
      return
    case 'lost answer':
      await answerOf(state, request, action, body)
      request.socket.destroy()
      return
    case 'slow':
      await sleep(fault.ms)
      break
    case undefined:
      break
  }
  const answer = await answerOf(state, request, action, body)
  call.status = answer.status
  send(response, answer)
}

/** Of `20260101T120000Z`. */
function signingTime(text: string | string[] | undefined): number {
  const [, day = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(String(text)) ?? []
  return Date.parse(`${day.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`)
}

async function answerOf(state: State, request: IncomingMessage, action: string, body: string): Promise<Answer> {
  if (action === 'CreateFleet') return createFleet(state, request, body)
  const answer = await forward(state, request, body)
  if (action !== 'DescribeInstances' || state.hideMs === 0) return answer
  const hidden = hiddenOf(state)
  const asked = hidden.find((id) => body.includes(`=${id}`))
  if (asked === undefined) return { ...answer, body: withoutInstances(answer.body, hidden) }
  const message = `The instance ID '${asked}' does not exist`
  return refusal(request, { status: 400, code: 'InvalidInstanceID.NotFound', message })
}

function hiddenOf({ launched, hideMs }: State): readonly string[] {
  return [...launched].filter(([, at]) => performance.now() - at < hideMs).map(([id]) => id)
}

async function createFleet(state: State, request: IncomingMessage, body: string): Promise<Answer> {
  const token = new URLSearchParams(body).get('ClientToken') ?? ''
  const known = state.fleets.get(token)
  if (known !== undefined) return known
  const isEmpty = ({ type, zone }: FleetPool): boolean =>
    state.empty.includes(type) || state.empty.includes(`${type}/${zone}`)
  const { rest, refused } = splitFleet(body, isEmpty)
  if (rest === undefined) return { status: 200, type: 'text/xml', body: refusedFleet(refused) }
  const plain = await forward(state, request, rest)
  const answer = { ...plain, body: withFleetErrors(plain.body, refused) }
  for (const [id] of answer.body.matchAll(/\bi-[0-9a-f]{8,17}\b/g)) state.launched.set(id, performance.now())
  if (token !== '' && answer.status === 200) state.fleets.set(token, answer)
  return answer
}

async function forward({ target }: State, request: IncomingMessage, body: string): Promise<Answer> {
  const headers: Record<string, string> = {}
  for (const name of ['content-type', 'x-amz-target', 'x-amz-date', 'authorization', 'x-amzn-query-mode', 'accept']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const method = request.method ?? 'GET'
  const answer = await fetch(`${target}${request.url ?? '/'}`, {
    method,
    headers,
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  })
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: await answer.text() }
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, { 'content-type': type }).end(body)
}

/** From the form of EC2 and IAM, or the header of the JSON services; EKS has neither. */
function actionOf(request: IncomingMessage, body: string): string {
  const target = request.headers['x-amz-target']
  if (typeof target === 'string') return target.slice(target.lastIndexOf('.') + 1)
  const form = new URLSearchParams(body)
  const action = form.get('Action')
  if (action === null) return `${request.method ?? ''} ${request.url ?? ''}`
  return form.get('DryRun') === 'true' ? `${action} dry run` : action
}

/** What the services say to a session that is over. */
function expiredCode(request: IncomingMessage): string {
  if (request.headers['x-amz-target'] !== undefined) return 'ExpiredTokenException'
  return isToEC2(request) ? 'RequestExpired' : 'ExpiredToken'
}

function isToEC2(request: IncomingMessage): boolean {
  return (request.headers.authorization ?? '').includes('/ec2/')
}

function refusal(
  request: IncomingMessage,
  { status, code, message = 'injected' }: { readonly status: number; readonly code: string; readonly message?: string },
): Answer {
  if (request.headers['x-amz-target'] !== undefined) {
    return { status, type: 'application/x-amz-json-1.1', body: JSON.stringify({ __type: code, message }) }
  }
  const error = `<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  // EC2 and the query services wrap the same error differently.
  const body = isToEC2(request)
    ? `<Response><Errors>${error}</Errors><RequestID>0</RequestID></Response>`
    : `<ErrorResponse>${error}<RequestId>0</RequestId></ErrorResponse>`
  return { status, type: 'text/xml', body }
}
