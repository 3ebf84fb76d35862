export interface Found {
  readonly seed: number
  readonly what: string
  /** As long as it took to show, where a morning was not enough. */
  readonly hours?: number
}

export const morningHours = 2.75
