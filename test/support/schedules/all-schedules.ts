import { CORE_SCHEDULES } from './core-schedules.ts'
import { DRAIN_SCHEDULES } from './drain-schedules.ts'
import { LINK_SCHEDULES } from './link-schedules.ts'
import { RING_SCHEDULES } from './replay-buffer-schedules.ts'
import type { Schedule } from './schedule.ts'
import { SESSION_SCHEDULES } from './session-schedules.ts'

export const ALL_SCHEDULES: readonly Schedule[] = [
  ...RING_SCHEDULES,
  ...CORE_SCHEDULES,
  ...SESSION_SCHEDULES,
  ...LINK_SCHEDULES,
  ...DRAIN_SCHEDULES,
]
