import type { Channel } from './channel.ts'
import type { Member } from './member.ts'
import type { Role } from './role.ts'

/** What is filled into an option of a command. */
export type CommandValue = string | number | boolean | Member | Channel | Role
