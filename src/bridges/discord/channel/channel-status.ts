import { type Clock, withTimeout } from '../../../common/clock.ts'
import type { ChannelEnd, ChannelStatus, OutputLanguages } from '../channel-interpreter.ts'
import { CHANNEL_DEFAULTS } from '../options.ts'
import type { SessionOptions } from './channel-components.ts'
import type { ChannelMember } from './guild-view.ts'

/** Returns the current status of a channel, collected from its parts. */
export function statusOf(
  guildId: string,
  { link, room, writing }: Pick<SessionOptions, 'link' | 'room' | 'writing'>,
  members: readonly ChannelMember[],
  {
    paused,
    ...more
  }: { readonly sinceMs: number; readonly output: OutputLanguages; readonly paused: boolean },
): ChannelStatus {
  const { state, encrypted, channelId } = link
  return {
    guildId,
    channelId,
    textChannelId: writing.channelId,
    room: room.name,
    state:
      state !== 'ready'
        ? state === 'joining'
          ? 'joining'
          : 'reconnecting'
        : paused
          ? 'paused'
          : 'listening',
    encrypted,
    ...more,
    spoken: room.spoken,
    written: room.choice.written,
    captions: writing.settings,
    speakers: members.map(({ userId, language, languageFrom, consents, excludedBy }) => ({
      ...{ userId, language, languageFrom, consents },
      ...(excludedBy ? { excludedBy } : {}),
    })),
    unavailable: room.unavailable,
  }
}

/** Time limit for the last requests to Discord (ms). */
const LAST_WRITING_MS = 4_000

export interface FarewellOptions {
  readonly end: ChannelEnd
  readonly members: readonly ChannelMember[]
  /** False: interpreting never started, so the end is not announced. */
  readonly begun: boolean
  /** Time limit for the spoken goodbye (ms). Default 4 000. */
  readonly farewellMs?: number | undefined
}

/** Stops listening immediately, then says goodbye to everyone who can still hear or read it, within a bounded time. */
export async function farewell(
  { room, welcome, writing, others, indicator, mention }: SessionOptions,
  { end, members, begun, farewellMs = CHANNEL_DEFAULTS.farewellMs }: FarewellOptions,
  clock: Clock,
): Promise<void> {
  await room.speakers.close({ kind: 'hangup', by: 'local' })
  const heard = begun && (end.kind === 'stopped' || end.kind === 'parent-closed')
  await Promise.all([
    welcome.farewell(heard ? members : [], farewellMs),
    withTimeout(clock, LAST_WRITING_MS, writing.end(end, mention(), begun)),
    withTimeout(clock, LAST_WRITING_MS, indicator?.off()),
    withTimeout(clock, farewellMs, others.leave()),
  ])
  await withTimeout(clock, farewellMs, others.hangUp())
  await room.close({ kind: 'hangup', by: 'local' })
}
