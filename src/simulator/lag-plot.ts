/** How late a translation was heard at one moment. */
export interface LagPoint {
  readonly atMs: number
  readonly lagMs: number
  /** How much faster than spoken it played then. */
  readonly factor?: number
}
