/** More pivots than a handful of resources ever needs; what is reached by then is feasible, so still a bound. */
const pivotsMax = 2_000

/** The best values of a linear program, and what one more unit of each limit would add to the goal. */
export interface Optimum {
  readonly values: Float64Array
  /** By constraint: the solution of the dual program. */
  readonly shadows: Float64Array
  readonly pivots: number
}

/** max Σ y with Σ row·y ≤ limit and y ≥ 0, by the simplex method. */
export function maximise(
  width: number,
  constraints: readonly { readonly row: readonly number[]; readonly limit: number }[],
): Float64Array {
  const table = new Float64Array(constraints.length * (width + 1))
  for (const [i, { row, limit }] of constraints.entries()) {
    table.set(row, i * (width + 1))
    table[i * (width + 1) + width] = limit
  }
  return maximiseTable(table, width).values
}

/** The same for constraints that stand one after another, each `width` coefficients and its limit. */
export function maximiseTable(constraints: Float64Array, width: number): Optimum {
  const stride = width + 1
  const height = constraints.length / stride
  // The goal is the last row.
  const goal = constraints.length
  const table = new Float64Array(goal + stride)
  table.set(constraints)
  table.fill(1, goal, goal + width)
  const columnIs = Int32Array.from({ length: width }, (_, i) => i)
  const rowIs = new Int32Array(height)
  for (let i = 0; i < height; i += 1) rowIs[i] = width + i
  const values = new Float64Array(width)
  const shadows = new Float64Array(height)
  let pivots = 0
  for (; pivots < pivotsMax; pivots += 1) {
    let enter = -1
    let most = 1e-9
    for (let j = 0; j < width; j += 1) {
      const gain = table[goal + j] ?? 0
      if (gain > most) {
        enter = j
        most = gain
      }
    }
    if (enter < 0) break
    const leave = leavingRow(table, { width, height, enter })
    if (leave < 0) return { values, shadows, pivots }
    pivotOn(table, { stride, leave, enter })
    const swapped = columnIs[enter] ?? 0
    columnIs[enter] = rowIs[leave] ?? 0
    rowIs[leave] = swapped
  }
  for (let i = 0; i < height; i += 1) {
    const variable = rowIs[i] ?? width
    if (variable < width) values[variable] = Math.max(0, table[i * stride + width] ?? 0)
  }
  for (let j = 0; j < width; j += 1) {
    const variable = columnIs[j] ?? 0
    if (variable >= width) shadows[variable - width] = Math.max(0, -(table[goal + j] ?? 0))
  }
  return { values, shadows, pivots }
}

/** The constraint that stops the entering variable first; -1 when none does. */
function leavingRow(
  table: Float64Array,
  { width, height, enter }: { readonly width: number; readonly height: number; readonly enter: number },
): number {
  let leave = -1
  let least = Number.POSITIVE_INFINITY
  for (let i = 0, start = 0; i < height; i += 1, start += width + 1) {
    const at = table[start + enter] ?? 0
    if (at <= 1e-12) continue
    const ratio = (table[start + width] ?? 0) / at
    if (ratio < least) {
      leave = i
      least = ratio
    }
  }
  return leave
}

function pivotOn(
  table: Float64Array,
  { stride, leave, enter }: { readonly stride: number; readonly leave: number; readonly enter: number },
): void {
  const pivotRow = leave * stride
  const pivot = table[pivotRow + enter] ?? 1
  table[pivotRow + enter] = 1
  for (let j = 0; j < stride; j += 1) table[pivotRow + j] = (table[pivotRow + j] ?? 0) / pivot
  for (let row = 0; row < table.length; row += stride) {
    const factor = table[row + enter] ?? 0
    if (row === pivotRow || factor === 0) continue
    table[row + enter] = 0
    for (let j = 0; j < stride; j += 1) table[row + j] = (table[row + j] ?? 0) - factor * (table[pivotRow + j] ?? 0)
  }
}
