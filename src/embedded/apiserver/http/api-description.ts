import type { IncomingMessage, ServerResponse } from 'node:http'
import { unknownResource } from '../errors.ts'
import type { ApiServer } from '../server.ts'
import { negotiate } from './accept.ts'
import {
  aggregatedDiscovery,
  apiGroup,
  apiGroupList,
  apiResourceList,
  apiVersions,
  groupVersions,
} from './discovery.ts'
import type { Route } from './route.ts'
import { sendBody } from './send.ts'

/** Reported to clients; kubectl warns when it is more than one minor version away. */
const kubernetesVersion = {
  major: '1',
  minor: '33',
  gitVersion: 'v1.33.0+joinery',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
}

const swaggerProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** Answers what is asked about the server and its API, rather than for objects. */
export async function answerDescription(
  server: ApiServer,
  request: IncomingMessage,
  response: ServerResponse,
  route: Route,
): Promise<void> {
  const definitions = server.context.registry.all()
  if (route.kind === 'health') {
    response.writeHead(200, { 'content-type': 'text/plain' })
    response.end('ok')
    return
  }
  // What describes the API to tools is JSON, whatever they accept.
  const isDescription = ['swagger', 'openapi', 'openapiVersion'].includes(route.kind)
  const representation = negotiate(isDescription ? undefined : request.headers.accept)
  const send = (body: object): void => sendBody(response, 200, body, representation.syntax)
  switch (route.kind) {
    case 'version':
      send(kubernetesVersion)
      return
    case 'coreVersions':
    case 'groups': {
      const core = route.kind === 'coreVersions'
      if (representation.kind !== 'discovery') {
        send(core ? apiVersions(request.headers.host ?? '') : apiGroupList(definitions))
        return
      }
      const { version } = representation
      response.setHeader(
        'content-type',
        `application/${representation.syntax};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      )
      send(aggregatedDiscovery(definitions, core, version))
      return
    }
    case 'group': {
      const versions = groupVersions(definitions).get(route.group)
      if (versions === undefined) throw unknownResource()
      send(apiGroup(route.group, versions))
      return
    }
    case 'resources': {
      const list = apiResourceList(definitions, route.group, route.version)
      if (list === undefined) throw unknownResource()
      send(list)
      return
    }
    case 'swagger': {
      const { swaggerDocument, swaggerProtobuf } = await import('./openapi-v2.ts')
      const document = swaggerDocument(definitions)
      if (!(request.headers.accept ?? '').includes('proto-openapi.spec.v2')) send(document)
      else {
        response.writeHead(200, { 'content-type': swaggerProtobufType })
        response.end(swaggerProtobuf(document))
      }
      return
    }
    case 'openapi': {
      const paths: Record<string, object> = {}
      for (const { group, version } of definitions) {
        const path = group === '' ? `api/${version}` : `apis/${group}/${version}`
        paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${server.context.registry.version}` }
      }
      send({ paths })
      return
    }
    case 'openapiVersion': {
      const kinds = definitions.filter(({ group, version }) => group === route.group && version === route.version)
      if (kinds.length === 0) throw unknownResource()
      // Half a megabyte of documentation, which only explain and apply read.
      const { openapiDocument } = await import('./openapi.ts')
      send(openapiDocument(kinds))
      return
    }
    case 'resource':
    case 'unknown':
      throw unknownResource()
  }
}
