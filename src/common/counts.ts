/** Adds each number of `from` to that of `to`, an object of the same class. */
export function addCounts<T extends object>(to: T, from: T): void {
  const counts = to as Record<string, number>
  for (const [name, value] of Object.entries(from)) counts[name]! += value
}
