/** What benchmarks of the solver print for each workload. Prices are US dollars per hour. */
export interface SolveResult {
  readonly workload: string
  readonly pods: number
  readonly podsPerSecond: number
  readonly ms: number
  /** Processor time of the same run, which tells more on a busy machine. */
  readonly cpuMs: number
  readonly nodes: number
  readonly pricePerHour: number
  readonly lowerBound: number
  /** Price over bound; 1 where nothing was bought. */
  readonly ratio: number
  readonly peakMB: number
  /** In processor time. */
  readonly longestBlockMs: number
}
