import type { ServerResponse } from 'node:http'
import { stringify } from 'yaml'
import { kubernetesYAML } from '../../../api/kubernetes-yaml.ts'
import type { Syntax } from './accept.ts'

export function sendBody(response: ServerResponse, status: number, body: object, syntax: Syntax): void {
  if (syntax === 'json') {
    sendJson(response, status, body)
    return
  }
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/yaml')
  response.writeHead(status)
  response.end(stringify(body, { ...kubernetesYAML, aliasDuplicateObjects: false }))
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json')
  response.writeHead(status)
  response.end(`${JSON.stringify(body)}\n`)
}
