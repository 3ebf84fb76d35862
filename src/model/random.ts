/** Randomness as an injected port: node:crypto in production, a seeded generator in the embedded cluster and in simulations. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** Uniform integer in [0, limit). `limit` is a positive safe integer. */
  below(limit: number): number
  /** A version 4 UUID. */
  uuid(): string
  /** `length` characters of Kubernetes' generateName alphabet (no vowels, no 0, 1, 3). */
  nameSuffix(length: number): string
  /** Of its own, so that how often a part of the program draws shifts no draw of another part. */
  fork(name: string): Random
}
