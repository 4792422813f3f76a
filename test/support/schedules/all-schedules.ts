import { DRAIN_SCHEDULES } from './drain-schedules.ts'
import { LINK_SCHEDULES } from './link-schedules.ts'
import { MARK_SCHEDULES } from './mark-schedules.ts'
import { RING_SCHEDULES } from './replay-buffer-schedules.ts'
import type { Schedule } from './schedule.ts'
import { SESSION_SCHEDULES } from './session-schedules.ts'

export const ALL_SCHEDULES: readonly Schedule[] = [
  ...RING_SCHEDULES,
  ...MARK_SCHEDULES,
  ...SESSION_SCHEDULES,
  ...LINK_SCHEDULES,
  ...DRAIN_SCHEDULES,
]
