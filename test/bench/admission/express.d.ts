/** What the benchmark asks of Express, which brings no types. */
declare module 'express' {
  import type { RequestListener } from 'node:http'

  interface Express extends RequestListener {
    use(handler: unknown): void
    post(path: string, handler: (request: unknown, response: { json(body: unknown): void }) => void): void
  }
  function express(): Express
  namespace express {
    function json(options: { readonly limit: string }): unknown
  }
  export default express
}
