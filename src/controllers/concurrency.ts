/** How many workers a controller gets: `min` at one core, `max` at 60 and more, linear between. */
export function scaledConcurrency(min: number, max: number, cpuMilli: number): number {
  const cores = Math.ceil(cpuMilli / 1_000)
  const workers = Math.floor(((max - min) * (cores - 1)) / 59) + min
  return Math.min(max, Math.max(min, workers))
}
