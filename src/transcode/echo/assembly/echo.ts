// Entry point of the module of echo suppression, compiled by scripts/assembly.ts.
export { input, measure, tables } from './band-levels'
export {
  begin,
  createPath,
  expect,
  forget,
  learn,
  least,
  pathBytes,
  play,
  reshape,
  unexpected,
  weigh,
  weights,
} from './echo-path'

/** Returns the address from which on memory belongs to the caller. */
export function free(): i32 {
  return __heap_base as i32
}
