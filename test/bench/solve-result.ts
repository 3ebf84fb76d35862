/** What benchmarks of the solver print for each workload. Prices are US dollars per hour. */
export interface SolveResult {
  readonly workload: string
  readonly pods: number
  readonly podsPerSecond: number
  readonly ms: number
  readonly nodes: number
  readonly pricePerHour: number
  readonly lowerBound: number
  /** Price over bound; 1 where nothing was bought. */
  readonly ratio: number
  readonly peakMB: number
  readonly longestBlockMs: number
}
