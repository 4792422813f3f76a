import type { z } from 'zod'
import { isoTime } from '../../common/wall-clock.ts'
import type { Participant } from '../../core/room/participant.ts'
import { dateIn } from '../captions/caption-feed.ts'
import type { ControlContext } from './control-context.ts'
import { ControlError } from './errors.ts'
import type { codeSchema, participantSchema, roomSchema } from './schemas.ts'

/** Throws `room_unknown` if `room` is neither open nor created. */
export function assertRoom({ relay, plans }: ControlContext, room: string): void {
  if (!relay.rooms.has(room) && !plans.find(room)) throw new ControlError('room_unknown')
}

/** Throws `room_unknown` also while `room` is closing, when no more links or codes can be issued. */
export function assertLives(context: ControlContext, room: string): void {
  assertRoom(context, room)
  if (context.lives.idOf(room) === undefined) throw new ControlError('room_unknown')
}

/** Returns the participant with this ID. Throws `participant_unknown`. */
export function participantOf({ relay }: ControlContext, id: string): Participant {
  const participant = relay.find(id)
  if (!participant || participant.isAudience) throw new ControlError('participant_unknown')
  return participant
}

/**
 * Returns the participants of `room` that `ids` lists, or everyone, also audiences. Throws `participant_unknown` for an ID outside the room,
 * or `nobody_there`.
 */
export function listenersOf(
  context: ControlContext,
  room: string,
  ids: readonly string[] | undefined,
): Participant[] {
  const there = context.relay.rooms.get(room)?.everyone ?? new Map<string, Participant>()
  const wanted =
    ids === undefined ? Array.from(there.values()) : Array.from(new Set(ids), id => there.get(id))
  if (wanted.includes(undefined))
    throw new ControlError('participant_unknown', 'a participant of `to` is not in the room')
  if (wanted.length === 0) throw new ControlError('nobody_there')
  return wanted as Participant[]
}

export function roomView(context: ControlContext, name: string): z.input<typeof roomSchema> {
  const open = context.relay.rooms.get(name)
  const plan = context.plans.find(name)
  const life = context.feed.life(name)
  return {
    name,
    state: open ? 'open' : 'empty',
    life: life?.id ?? null,
    openedAt: life?.openedAt ?? null,
    createdAt: plan?.createdAt ?? null,
    languages: plan?.languages ? Array.from(plan.languages) : null,
    maxParticipants: plan?.maxParticipants ?? null,
    maxMinutes: plan?.maxMinutes ?? null,
    participants: open?.participants.size ?? 0,
    listeners: [...(open?.audiences ?? [])],
    recording: context.recorder?.of(name)?.state ?? null,
  }
}

export function participantView(
  context: ControlContext,
  participant: Participant,
): z.input<typeof participantSchema> {
  const { id, channel, since, invitation, state, playout } = participant
  const { speaks = null, hears = null, original, name = null, muted, interpreting } = state
  const queues = Array.from(playout.voices.values(), voice => voice.translation)
  const life = context.feed.life(invitation.room)
  const room = context.relay.rooms.get(invitation.room)
  return {
    id,
    room: invitation.room,
    channel,
    since: life ? dateIn(life, since) : isoTime(context.wall() - (context.clock.now() - since)),
    speaks,
    hears,
    original,
    name,
    muted,
    interpreting,
    backlogMs: Math.round(Math.max(0, ...queues.map(({ backlogMs }) => backlogMs))),
    lagMs: Math.round(Math.max(0, ...queues.map(({ lagMs }) => lagMs))),
    sessions: Array.from(room?.interpretations ?? [])
      .filter(({ speaker }) => speaker === participant)
      .map(({ to, session }) => ({ to, status: session.state.status })),
    receptions: (room?.receptionsOf(id) ?? []).map(({ speaker, to = null, gets, why = null, missed }) => ({
      ...{ speaker, to, gets, why, missed },
    })),
  }
}

/** `expiresAt` in clock ms becomes a date. */
export function codeView(
  { clock, wall }: ControlContext,
  { code, room, expiresAt }: { code: string; room: string; expiresAt: number },
): z.input<typeof codeSchema> {
  return { code, room, expiresAt: isoTime(wall() + expiresAt - clock.now()) }
}
