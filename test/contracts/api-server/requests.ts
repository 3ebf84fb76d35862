import type { ExchangeRequest } from './exchange.ts'

export const get = (path: string): ExchangeRequest => ({ method: 'GET', path })
export const post = (path: string, body: object): ExchangeRequest => ({ method: 'POST', path, body })
export const put = (path: string, body: object): ExchangeRequest => ({ method: 'PUT', path, body })
export const remove = (path: string, body?: object): ExchangeRequest =>
  body === undefined ? { method: 'DELETE', path } : { method: 'DELETE', path, body }

const contentTypes = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const

export const patch = (kind: keyof typeof contentTypes, path: string, body: object): ExchangeRequest => ({
  method: 'PATCH',
  path,
  body,
  contentType: contentTypes[kind],
})

export const namespace = (name: string): ExchangeRequest =>
  post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })

export const configMap = (name: string, data: Record<string, string>, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

export const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }], ...spec },
})

export const node = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, ...metadata },
  spec,
})
