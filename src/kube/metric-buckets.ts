/** Buckets of all duration histograms of the autoscaler itself, in seconds. */
export const durationBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600,
] as const

/** What Prometheus clients use when nothing is said. */
export const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

export const summaryQuantiles = [0, 0.5, 0.9, 0.99, 1] as const

/** `count` bounds from `start`, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, step) => start * factor ** step)
}

const minute = 60
const hour = 60 * minute
const day = 24 * hour

/** How long nodes live: from a quarter of an hour to a month. */
export const nodeLifetimeBuckets = [
  ...[15, 30, 45].map((minutes) => minutes * minute),
  ...[1, 2, 4, 6, 8, 10, 12, 16, 20].map((hours) => hours * hour),
  ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((days) => days * day),
]

/** Sizes of batched cloud calls: single steps, tens, then coarser to the largest batch. */
export const batchSizeBuckets = [
  1,
  2,
  4,
  5,
  ...range(10, 30, 5),
  ...range(40, 100, 10),
  ...range(125, 300, 25),
  ...range(350, 600, 50),
  700,
  800,
  900,
  1000,
]

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: (to - from) / step + 1 }, (_, index) => from + index * step)
}
