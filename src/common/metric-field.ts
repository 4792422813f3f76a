export type Labels = Readonly<Record<string, string>>

/** The keys of `T` whose values are numbers. */
export type NumbersOf<T> = { [K in keyof T]-?: T[K] extends number ? K : never }[keyof T]

/**
 * Metric of a counted field: name, help, factor to base units, and its own labels. Fields of the same name are one
 * metric, and differ by these labels.
 */
export type FieldSpec = readonly [name: string, help: string, factor?: number, labels?: Labels]

/** Milliseconds as seconds. */
export const MS = 0.001

/**
 * The metrics of all numbers that `T` counts: a field without a metric does not compile. The table is in the file of `T`, so
 * that a metric is added there and nowhere else; the exporters read the tables.
 */
export type FieldTable<T> = Readonly<Record<NumbersOf<T>, FieldSpec>>

/** Adds each counted field of `from` to that of `to`. */
export function addFields<T>(table: FieldTable<T>, to: T, from: T): void {
  const counts = to as Record<NumbersOf<T>, number>
  for (const name of Object.keys(table) as NumbersOf<T>[]) counts[name] += (from as typeof counts)[name]
}
