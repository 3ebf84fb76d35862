import { expect, test } from 'vitest'
import { proxyFor } from '../../../src/kube/environment-proxy.ts'

const server = 'https://a.eks.example.com'
const proxy = 'http://proxy.example:3128'

test.each([
  ['HTTPS_PROXY', server, { HTTPS_PROXY: proxy }, proxy],
  ['the same in small letters', server, { https_proxy: proxy }, proxy],
  ['capitals before small letters', server, { HTTPS_PROXY: proxy, https_proxy: 'http://other' }, proxy],
  ['one without a scheme', server, { HTTPS_PROXY: 'proxy.example:3128' }, proxy],
  ['SOCKS', server, { HTTPS_PROXY: 'socks5://proxy.example:1080' }, 'socks5://proxy.example:1080'],
  ['none, where only plain HTTP has one', server, { HTTP_PROXY: proxy }, undefined],
  ['that of plain HTTP', 'http://a.example.com:8001', { HTTP_PROXY: proxy }, proxy],
  ['none', server, {}, undefined],
  ['none, by an empty variable', server, { HTTPS_PROXY: '' }, undefined],
  ['none to this machine', 'https://localhost:6443', { HTTPS_PROXY: proxy }, undefined],
  ['none to this machine by its address', 'https://[::1]:6443', { HTTPS_PROXY: proxy }, undefined],
  ['none to what is no address', 'a.example.com', { HTTPS_PROXY: proxy }, undefined],
])('the proxy of the environment: %s', (_name, address, env, want) => {
  expect(proxyFor(address, env)).toBe(want)
})

test.each([
  ['*', server],
  ['a.eks.example.com', server],
  ['A.EKS.example.com', server],
  ['other, eks.example.com', server],
  ['.example.com', server],
  ['*.example.com', server],
  ['example.com:443', server],
  ['10.0.0.1', 'https://10.0.0.1:6443'],
  ['10.0.0.1:6443', 'https://10.0.0.1:6443'],
  ['10.0.0.0/8', 'https://10.1.2.3:6443'],
  ['fd00::/8', 'https://[fd12::1]:443'],
  ['fd12::1', 'https://[fd12::1]:443'],
  ['[fd12::1]:443', 'https://[fd12::1]:443'],
])('NO_PROXY=%s excepts %s', (except, address) => {
  expect(proxyFor(address, { HTTPS_PROXY: proxy, NO_PROXY: except })).toBeUndefined()
})

test.each([
  ['', server],
  ['ks.example.com', server],
  ['.a.eks.example.com', server],
  ['example.com:8443', server],
  ['10.0.0.0/8', 'https://11.1.2.3'],
  ['10.0.0.0/99', 'https://10.1.2.3'],
  ['10.0.0.0/8', 'https://[fd12::1]'],
  ['10.0.0.0/8', server],
])('NO_PROXY=%s does not except %s', (except, address) => {
  expect(proxyFor(address, { HTTPS_PROXY: proxy, no_proxy: except })).toBe(proxy)
})
